import type { ChatEvent, InteractionAnswer, InteractionId, ToolCallId } from '@parleyhq/core';
import type { SessionObserver } from '../session/live-session.ts';
import type { Interaction, Settlement } from './question.ts';

interface Waiter {
  readonly interaction: Interaction;
  settle(settlement: Settlement): void;
}

/** What waits for the prompts of one call. Events of the log end a wait, whoever brought them about. */
export class Waiters implements SessionObserver {
  readonly #toolCallId: ToolCallId;
  readonly #onCancelled: (id: InteractionId, interaction: Interaction) => void;
  readonly #waiters = new Map<InteractionId, Waiter>();
  /** Of prompts that were open before a restart: how they were settled before the handler came back to wait for them. */
  readonly #early = new Map<InteractionId, Settlement>();

  constructor(toolCallId: ToolCallId, onCancelled: (id: InteractionId, interaction: Interaction) => void) {
    this.#toolCallId = toolCallId;
    this.#onCancelled = onCancelled;
  }

  /** What ends the wait; to be called before anybody can answer a new prompt. */
  wait(id: InteractionId, interaction: Interaction): Promise<Settlement> {
    const early = this.#early.get(id);
    return early ? Promise.resolve(early) : new Promise((settle) => this.#waiters.set(id, { interaction, settle }));
  }

  /** Its tool goes on without it. */
  forget(id: InteractionId): void {
    this.#waiters.delete(id);
  }

  onStored(events: readonly ChatEvent[], answer: InteractionAnswer | undefined): void {
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
    const interaction = this.#waiters.get(interactionId)?.interaction;
    this.#settle(event, { kind: 'closed', reason });
    if (interaction && (reason === 'cancelled' || reason === 'session_ended'))
      this.#onCancelled(interactionId, interaction);
  }
}
