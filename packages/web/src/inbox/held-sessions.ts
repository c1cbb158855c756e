import type { ParleyClient, SessionClient } from '@parleyhq/client';
import type { Answer, InteractionRequest } from '@parleyhq/core';
import { keyOf } from './inbox-rows.ts';

/** The sessions of prompts that were answered together: until these are settled the session says so, and not the inbox. */
export class HeldSessions {
  readonly #byKey = new Map<string, SessionClient>();

  /** Answers a prompt in its session, and keeps that open unless it was refused. */
  async respond(client: ParleyClient, sessionId: string, request: InteractionRequest, answer: Answer) {
    const key = keyOf({ sessionId, interaction: request });
    const session = client.open(sessionId);
    this.#release(key);
    this.#byKey.set(key, session);
    const [result] = await session.respondAll([request], answer);
    if (result?.error) this.#release(key);
    return result ?? { request, error: undefined };
  }

  /** Closes those whose prompts are not among the `open` ones, by their keys. */
  releaseOthers(open: ReadonlySet<string>): void {
    for (const key of this.#byKey.keys()) if (!open.has(key)) this.#release(key);
  }

  #release(key: string): void {
    this.#byKey.get(key)?.close();
    this.#byKey.delete(key);
  }
}
