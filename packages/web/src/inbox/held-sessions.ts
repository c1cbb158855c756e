import type { ParleyClient, SessionClient } from '@parleyhq/client';
import type { Answer, InteractionRequest } from '@parleyhq/core';
import { keyOf } from './snooze.ts';

/**
 * Keeps the sessions of jointly answered prompts open until these are settled, because the results are reported in the session
 * and not in the inbox.
 */
export class HeldSessions {
  readonly #byKey = new Map<string, SessionClient>();

  /** Answers a prompt in its session, and keeps the session open unless the answer was refused. */
  async respond(client: ParleyClient, sessionId: string, request: InteractionRequest, answer: Answer) {
    const key = keyOf({ sessionId, interaction: request });
    const session = client.open(sessionId);
    this.#release(key);
    this.#byKey.set(key, session);
    const [result] = await session.respondAll([request], answer);
    if (result?.error) this.#release(key);
    return result ?? { request, error: undefined };
  }

  /** Closes the sessions whose prompts are not among the `open` ones. @param open - keys of prompts */
  releaseOthers(open: ReadonlySet<string>): void {
    for (const key of this.#byKey.keys()) if (!open.has(key)) this.#release(key);
  }

  #release(key: string): void {
    this.#byKey.get(key)?.close();
    this.#byKey.delete(key);
  }
}
