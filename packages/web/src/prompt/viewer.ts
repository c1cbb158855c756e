import type { Request } from '@parleyhq/client';
import type { Items, Principal, ReviewerOffScope } from '@parleyhq/core';
import type { Claims } from './claim-line.ts';

/** The person who looks at the cards of a session. All cards share one object. */
export interface Viewer {
  readonly clientId: string;
  readonly sessionId: string;
  readonly principal: Principal;
  /** Whether prompts may be answered in this tab (INT15). */
  readonly isInteractive: boolean;
  /** The server's time in milliseconds. */
  readonly now: () => number;
  /** The claims on prompts; undefined if nobody else could claim any (TEAM4). */
  readonly claims?: Claims;
  /** Returns what is loaded of the session now; undefined if only the prompt is known. */
  readonly items?: () => Items | undefined;
  /** Sends a request to the server; undefined if only the prompt is known. */
  readonly ask?: (frame: Request) => Promise<unknown>;
  /** Says something under a prompt; undefined if this person may not, or nobody would read it (REV4). */
  readonly comment?: (interactionId: string, text: string) => Promise<void>;
  /** Takes reviewers off a tool; undefined if this person may not (LESS3). */
  readonly removeReviewer?: (toolName: string, scope: ReviewerOffScope) => Promise<void>;
}
