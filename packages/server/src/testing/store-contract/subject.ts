import type { Store } from '@parleyhq/core';

/** A fresh, empty store. */
export interface OpenedStore {
  readonly store: Store;
  /** Closes the store and opens it again, if it outlives its process. */
  reopen?(): Promise<Store>;
  close(): Promise<void>;
}

/** What a test gets: `reopen` gives the same store where there is nothing to open again. */
export interface Subject {
  /** The one that is open now. */
  readonly store: Store;
  reopen(): Promise<Store>;
}
