import type { QuotaBook } from '../auth/quota-book.ts';
import type { Voters } from '../auth/voters.ts';
import type { FileBook } from '../files/file-book.ts';
import type { GrantBook } from '../grant/grant-book.ts';
import type { SessionHub } from '../hub/hub.ts';
import type { Presence } from '../hub/presence.ts';
import type { Sealing } from '../node/sealing.ts';
import type { LiveCalls } from '../outside/live-calls.ts';
import type { OutsideCalls } from '../outside/outside-calls.ts';
import type { Attention } from '../reach/attention.ts';
import type { Claims } from '../tabs/claims.ts';
import type { Inbox } from '../tabs/inbox.ts';
import type { AgentRegistry } from '../tools/agent-registry.ts';

/** Services that frame handlers use. */
export interface Services {
  readonly hub: SessionHub;
  readonly presence: Presence;
  readonly attention: Attention;
  readonly inbox: Inbox;
  readonly claims: Claims;
  readonly grants: GrantBook;
  readonly agents: AgentRegistry;
  readonly quotas: QuotaBook;
  readonly voters: Voters;
  readonly outside: OutsideCalls;
  readonly live: LiveCalls;
  readonly sealing: Sealing;
  readonly files: FileBook;
}
