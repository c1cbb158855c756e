import type { Store } from '@parleyhq/core';

/** A fresh, empty store. */
export interface OpenedStore {
  readonly store: Store;
  /** Reads travel: one that began before a commit may be answered after it. Default: false, they find what there is as they begin. */
  readonly isRemote?: boolean;
  /** Closes and reopens the store, if it is durable. */
  reopen?(): Promise<Store>;
  close(): Promise<void>;
}

/** What a test works on. `reopen` returns the same store if it cannot be reopened. */
export interface Subject {
  /** The store that is open now. */
  readonly store: Store;
  readonly isRemote: boolean;
  reopen(): Promise<Store>;
}
