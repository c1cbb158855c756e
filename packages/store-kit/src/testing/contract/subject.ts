import type { Store } from '@parleyhq/core';

/** A fresh, empty store. */
export interface OpenedStore {
  readonly store: Store;
  /**
   * Whether reads are remote, so that one that began before a commit may return what was stored after it. Default: false, reads
   * find what is stored when they begin
   */
  readonly isRemote?: boolean;
  /** Closes and reopens the store, if it is durable. */
  reopen?(): Promise<Store>;
  /** Opens the same store for another node, if several may use it at once. The test closes it. */
  another?(): Promise<Store>;
  close(): Promise<void>;
}

/** The store under test. `reopen` returns the same store if it cannot be reopened. */
export interface Subject {
  /** The store that is open now. */
  readonly store: Store;
  readonly isRemote: boolean;
  reopen(): Promise<Store>;
  another(): Promise<Store | undefined>;
}
