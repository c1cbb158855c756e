import type { Store } from '@parleyhq/core';

/** A fresh, empty store. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes and reopens the store, if it is durable. */
  reopen?(): Promise<Store>;
  close(): Promise<void>;
}

/** What a test works on. `reopen` returns the same store if it cannot be reopened. */
export interface Subject {
  /** The store that is open now. */
  readonly store: Store;
  reopen(): Promise<Store>;
}
