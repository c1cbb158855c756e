import type { SessionId } from '@parleyhq/core';
import type { Link } from '@parleyhq/store-kit';

/** Limit of the cache; appends to sessions that are not in it need more statements. */
const mostPlaces = 10_000;

/** The row key of a session and the end of its audit chain. */
export interface Place {
  /** Key of the session's row, which is never reused. */
  readonly key: number;
  /** The end of its audit chain when this node last wrote it, if it ever did. */
  readonly audited?: Link | undefined;
}

/** Caches the sessions that this node wrote. If another node has added audit rows since, the next insert fails on its key. */
export class SessionKeys {
  readonly #places = new Map<SessionId, Place>();

  get(id: SessionId): Place | undefined {
    return this.#places.get(id);
  }

  learn(id: SessionId, { key, audited = this.#places.get(id)?.audited }: Place): void {
    this.#places.delete(id);
    this.#places.set(id, { key, audited });
    const [oldest] = this.#places.keys();
    if (this.#places.size > mostPlaces && oldest !== undefined) this.#places.delete(oldest);
  }

  forget(id: SessionId): void {
    this.#places.delete(id);
  }
}
