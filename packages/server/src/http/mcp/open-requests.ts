/** Key of a request: its JSON-RPC id is unique only within a client's session. */
export interface RequestKey {
  readonly principal: string;
  readonly sessionId: string | undefined;
  readonly requestId: unknown;
}

/**
 * Waiting requests, so that `notifications/cancelled`, which arrives as a request of its own, can cancel them. Without a session
 * the id might belong to another client's request, so nothing is cancelled (ASK6).
 */
export class OpenRequests {
  readonly #open = new Map<string, AbortController>();

  /** Runs the work of a request; `cancelled` aborts with the client's reason. */
  async run<T>(key: RequestKey, work: (cancelled: AbortSignal) => Promise<T>): Promise<T> {
    const name = nameOf(key);
    const cancelling = new AbortController();
    this.#open.set(name, cancelling);
    try {
      return await work(cancelling.signal);
    } finally {
      if (this.#open.get(name) === cancelling) this.#open.delete(name);
    }
  }

  cancel(key: RequestKey, reason: unknown): void {
    if (key.sessionId !== undefined) this.#open.get(nameOf(key))?.abort(reason);
  }
}

function nameOf({ principal, sessionId, requestId }: RequestKey): string {
  return JSON.stringify([principal, sessionId, requestId]);
}
