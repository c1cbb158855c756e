import type { AgentRegistry, findReview, GrantService, SessionHub, Suggestions } from '@parleyhq/runtime';
import type { StepUpDesk } from '../auth/passkeys/step-up.ts';
import type { QuotaService } from '../auth/quota-service.ts';
import type { Voters } from '../auth/voters.ts';
import type { FileService } from '../extensions/files/file-service.ts';
import type { Claims } from '../extensions/inbox/claims.ts';
import type { Inbox } from '../extensions/inbox/inbox.ts';
import type { Attention } from '../extensions/notifications/attention.ts';
import type { Presence } from '../extensions/presence/presence.ts';
import type { Programs } from '../extensions/programs/run-for-caller.ts';

/** Services that frame handlers use. */
export interface Services {
  readonly hub: SessionHub;
  readonly presence: Presence;
  readonly attention: Attention;
  readonly inbox: Inbox;
  readonly claims: Claims;
  readonly grants: GrantService;
  readonly suggestions: Suggestions;
  readonly agents: AgentRegistry;
  readonly quotas: QuotaService;
  readonly voters: Voters;
  readonly stepUp: StepUpDesk;
  readonly programs: Programs;
  readonly files: FileService;
  /** Returns what the policies demand of a tool's reviewer. */
  findReview(toolName: string): ReturnType<typeof findReview>;
}
