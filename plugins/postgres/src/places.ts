import type { SessionId } from '@parleyhq/core';
import type { Link } from '@parleyhq/server/store';

/** So many are kept; a session whose place is not known is stored by more statements. */
const mostPlaces = 10_000;

/** Where a session's rows are. */
export interface Place {
  /** Of its row, and never another's. */
  readonly key: number;
  /** The end of its audit chain when this node last wrote it, if it ever did. */
  readonly audited?: Link | undefined;
}

/** What this node knows of sessions that it wrote. Another node may have audited since: the key of the next row is taken then. */
export class Places {
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
