import type { QuotaService } from '../auth/quota-service.ts';
import type { Voters } from '../auth/voters.ts';
import type { FileService } from '../files/file-service.ts';
import type { GrantService } from '../grant/grant-service.ts';
import type { SessionHub } from '../hub/hub.ts';
import type { Presence } from '../hub/presence.ts';
import type { Attention } from '../notifications/attention.ts';
import type { AttachedCalls } from '../outside/attached-calls.ts';
import type { OutsideCalls } from '../outside/outside-calls.ts';
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
  readonly grants: GrantService;
  readonly agents: AgentRegistry;
  readonly quotas: QuotaService;
  readonly voters: Voters;
  readonly outside: OutsideCalls;
  readonly attachedCalls: AttachedCalls;
  readonly files: FileService;
}
