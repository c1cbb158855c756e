import type { LoggedEvent } from './checked-log.ts';

/** What one client sent and saw, in order; the checker uses nothing else. */
export type HistoryEntry =
  | { readonly kind: 'sent'; readonly interactionId: string; readonly answerId: string }
  | { readonly kind: 'acked'; readonly interactionId: string; readonly answerId: string; readonly seq: number }
  | {
      readonly kind: 'refused';
      readonly interactionId: string;
      readonly answerId: string;
      readonly code: string;
      /** The winning response, as reported to the client. */
      readonly winner?: LoggedEvent | undefined;
    }
  /** Refused for a temporary reason, and sent again. */
  | { readonly kind: 'put off'; readonly code: string }
  | { readonly kind: 'message acked'; readonly messageId: string; readonly seq: number }
  | { readonly kind: 'event'; readonly event: LoggedEvent }
  | { readonly kind: 'reset' };

export interface History {
  readonly who: string;
  readonly entries: readonly HistoryEntry[];
}
