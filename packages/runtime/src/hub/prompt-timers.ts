import { findPrompt, type InteractionId, type OpenPrompt, RefusalError, type SessionId } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { Node } from '../node/node.ts';
import type { Change } from '../session/change.ts';
import { Deadlines } from './deadline-heap.ts';

/** How long to wait, in ms, after a deadline that could not be stored. */
const retryMs = 1000;

export interface PromptTimersOptions {
  readonly node: Pick<Node, 'clock' | 'now'>;
  /** In ms: minimum time that a prompt stays open after a start (INT10). */
  readonly restartGraceMs: number;
  /** Expires the prompt; an answer that was committed first wins. */
  readonly expire: (sessionId: SessionId, interactionId: InteractionId, deadline: number) => Promise<void>;
  readonly log: Logger;
}

/** The deadlines of all open prompts, derived from the head after each commit (INT10). */
export class PromptTimers {
  readonly #options: PromptTimersOptions;
  readonly #deadlines: Deadlines;

  constructor(options: PromptTimersOptions) {
    this.#options = options;
    this.#deadlines = new Deadlines((key, deadline) => void this.#expire(key, deadline), options.node.clock);
  }

  follow(change: Change): void {
    const { sessionId, isRecovered } = change;
    const { opened, moved, settled } = change.prompts;
    for (const { request } of settled) this.#deadlines.delete(keyOf(sessionId, request.interactionId));
    for (const prompt of [...opened, ...moved]) {
      const last = findPrompt(change.before, prompt.request.interactionId);
      // somebody voted, or more people were asked
      if (last && last.state === prompt.state && last.expiresAt === prompt.expiresAt) continue;
      const key = keyOf(sessionId, prompt.request.interactionId);
      const deadline = prompt.expiresAt === undefined ? undefined : Date.parse(prompt.expiresAt);
      if (deadline === undefined || prompt.state === 'expired') this.#deadlines.delete(key);
      else this.#deadlines.set(key, deadline, isRecovered ? this.#leftMs(prompt, deadline) : this.#untilMs(deadline));
    }
  }

  stop(): void {
    this.#deadlines.stop();
  }

  #untilMs(deadline: number): number {
    return deadline - this.#options.node.now();
  }

  /**
   * Returns the time left after a start, when only the wall clock shows how long the server was down. If the clock was set back,
   * a prompt gets no more time than at first.
   */
  #leftMs({ timestamp }: OpenPrompt, deadline: number): number {
    const leftMs = Math.min(this.#untilMs(deadline), deadline - Date.parse(timestamp));
    return Math.max(leftMs, this.#options.restartGraceMs);
  }

  async #expire(key: string, deadline: number): Promise<void> {
    const [sessionId, interactionId] = splitKey(key);
    try {
      await this.#options.expire(sessionId, interactionId, deadline);
    } catch (error) {
      if (error instanceof RefusalError && error.code === 'not_found') return; // its session was deleted meanwhile
      this.#options.log.warn({ sessionId, interactionId, error }, 'a deadline could not be stored: trying again');
      this.#deadlines.set(key, deadline, retryMs);
    }
  }
}

/** Returns the key of a prompt; ids contain no spaces. */
function keyOf(sessionId: SessionId, interactionId: InteractionId): string {
  return `${sessionId} ${interactionId}`;
}

function splitKey(key: string): [SessionId, InteractionId] {
  const space = key.indexOf(' ');
  return [key.slice(0, space), key.slice(space + 1)];
}
