import type { QuotaBook } from '../auth/quota-book.ts';
import type { GrantBook } from '../grant/grant-book.ts';
import type { SessionHub } from '../hub/hub.ts';
import type { Presence } from '../hub/presence.ts';
import type { LiveCalls } from '../outside/live-calls.ts';
import type { OutsideCalls } from '../outside/outside-calls.ts';
import type { Inbox } from '../tabs/inbox.ts';
import type { AgentRegistry } from '../tools/agent-registry.ts';

/** What frames reach of the server. */
export interface Services {
  readonly hub: SessionHub;
  readonly presence: Presence;
  readonly inbox: Inbox;
  readonly grants: GrantBook;
  readonly agents: AgentRegistry;
  readonly quotas: QuotaBook;
  readonly outside: OutsideCalls;
  readonly live: LiveCalls;
}
