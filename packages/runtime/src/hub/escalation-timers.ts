import { findPrompt, type InteractionId, type OpenPrompt, RefusalError, type SessionId } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Node } from '../node/node.ts';
import type { Change } from '../session/change.ts';
import { Deadlines } from './deadline-heap.ts';

/** How long to wait, in ms, after a step that could not be stored. */
const retryMs = 1000;

export interface EscalationTimersOptions {
  readonly node: Pick<Node, 'clock' | 'now'>;
  /** Also asks the people of this step, if the prompt is still open. */
  readonly escalate: (sessionId: SessionId, interactionId: InteractionId, step: number) => Promise<void>;
  readonly log: Logger;
}

/**
 * Timers for the next escalation step of each open prompt, derived from the head after each commit (TEAM5). A step that came due
 * while no server ran is taken at the start.
 */
export class EscalationTimers {
  readonly #options: EscalationTimersOptions;
  readonly #deadlines: Deadlines;

  constructor(options: EscalationTimersOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines((key, due) => void this.#escalate(key, due), options.node.clock);
  }

  follow({ sessionId, prompts: { opened, moved, settled }, before }: Change): void {
    for (const prompt of settled) this.#delete(sessionId, prompt);
    for (const prompt of [...opened, ...moved]) {
      const last = findPrompt(before, prompt.request.interactionId);
      if (last && last.escalated === prompt.escalated && last.state === prompt.state) continue; // somebody voted
      if (last) this.#delete(sessionId, last);
      if (prompt.state !== 'expired') this.#set(sessionId, prompt);
    }
  }

  stop(): void {
    this.#deadlines.stop();
  }

  #set(sessionId: SessionId, prompt: OpenPrompt): void {
    const step = nextStep(prompt);
    const next = prompt.request.escalate?.[step - 1];
    if (!next) return;
    const due = Date.parse(prompt.timestamp) + next.afterMs;
    const leftMs = Math.min(due - this.#options.node.now(), next.afterMs); // a clock that was set back delays nothing
    this.#deadlines.set(keyOf(sessionId, prompt, step), due, Math.max(leftMs, 0));
  }

  #delete(sessionId: SessionId, prompt: OpenPrompt): void {
    if (prompt.request.escalate) this.#deadlines.delete(keyOf(sessionId, prompt, nextStep(prompt)));
  }

  async #escalate(key: string, due: number): Promise<void> {
    const [sessionId = '', interactionId = '', step] = key.split(' ');
    try {
      await this.#options.escalate(sessionId, interactionId, Number(step));
    } catch (error) {
      if (error instanceof RefusalError && error.code === 'not_found') return; // its session was deleted meanwhile
      this.#options.log.warn({ sessionId, interactionId, error }, 'an escalation could not be stored: trying again');
      this.#deadlines.set(key, due, retryMs);
    }
  }
}

function nextStep({ escalated = 0 }: OpenPrompt): number {
  return escalated + 1;
}

/** Returns the key of a step; ids contain no spaces. */
function keyOf(sessionId: SessionId, { request }: OpenPrompt, step: number): string {
  return `${sessionId} ${request.interactionId} ${step}`;
}
