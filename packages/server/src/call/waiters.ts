import type {
  ChatEvent,
  CloseReason,
  InteractionAnswer,
  InteractionHooks,
  InteractionId,
  ToolCallId,
} from '@parleyhq/core';
import type { Change } from '../session/change.ts';
import type { SessionObserver } from '../session/live-session.ts';
import type { LateAnswers } from './late-answers.ts';

/** What ended the wait for a prompt. */
export type Settlement =
  | { readonly kind: 'answered'; readonly answer: InteractionAnswer }
  | { readonly kind: 'expired' }
  | { readonly kind: 'closed'; readonly reason: CloseReason };

interface Waiter {
  readonly hooks: InteractionHooks;
  settle(settlement: Settlement): void;
}

/** What waits for the prompts of one call. Events of the log end a wait, whoever brought them about. */
export class Waiters implements SessionObserver {
  readonly #toolCallId: ToolCallId;
  readonly #late: LateAnswers;
  readonly #onCancelled: (id: InteractionId, hooks: InteractionHooks) => void;
  readonly #waiters = new Map<InteractionId, Waiter>();
  /** How prompts were settled for which nobody waits yet: they were open before a restart, and the handler is on its way. */
  readonly #early = new Map<InteractionId, Settlement>();

  constructor(
    toolCallId: ToolCallId,
    late: LateAnswers,
    onCancelled: (id: InteractionId, hooks: InteractionHooks) => void,
  ) {
    this.#toolCallId = toolCallId;
    this.#late = late;
    this.#onCancelled = onCancelled;
  }

  /** What ends the wait; to be called before anybody can answer a new prompt. */
  wait(id: InteractionId, hooks: InteractionHooks): Promise<Settlement> {
    const early = this.#early.get(id);
    return early ? Promise.resolve(early) : new Promise((settle) => this.#waiters.set(id, { hooks, settle }));
  }

  /** The tool goes on without the answer; the hook of a late one stays. */
  goOn(id: InteractionId, { onLateResponse }: InteractionHooks): void {
    this.#waiters.delete(id);
    if (onLateResponse) this.#late.keep(id, onLateResponse);
  }

  onChange({ events, answer }: Change): void {
    for (const event of events) {
      switch (event.type) {
        case 'interaction_response':
          if (answer) this.#settle(event, { kind: 'answered', answer });
          break;
        case 'interaction_expired':
          this.#settle(event, { kind: 'expired' });
          break;
        case 'interaction_closed':
          this.#close(event);
          break;
        default:
      }
    }
  }

  #settle(
    { payload }: ChatEvent<'interaction_response' | 'interaction_expired' | 'interaction_closed'>,
    how: Settlement,
  ) {
    const { toolCallId, interactionId } = payload;
    if (toolCallId !== this.#toolCallId) return;
    const waiter = this.#waiters.get(interactionId);
    if (!waiter) this.#early.set(interactionId, how);
    if (how.kind !== 'expired') this.#waiters.delete(interactionId); // one that expired can still be cancelled
    waiter?.settle(how);
  }

  #close(event: ChatEvent<'interaction_closed'>): void {
    const { interactionId, reason } = event.payload;
    const waiter = this.#waiters.get(interactionId);
    this.#settle(event, { kind: 'closed', reason });
    if (waiter && (reason === 'cancelled' || reason === 'session_ended'))
      this.#onCancelled(interactionId, waiter.hooks);
  }
}
