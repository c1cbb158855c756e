import type { Store } from '@parleyhq/core';
import { afterEach, beforeEach, describe } from 'vitest';
import { testAccess } from './store-contract/access.ts';
import { testAudit } from './store-contract/audit.ts';
import { testLog } from './store-contract/log.ts';
import { testSessions } from './store-contract/sessions.ts';
import { testValues } from './store-contract/values.ts';

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

/** What every store keeps, whoever wrote it. */
export function testEventStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(`store contract: ${name}`, () => {
    let opened: OpenedStore;
    let store: Store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());
    const subject: Subject = {
      get store() {
        return store;
      },
      async reopen() {
        store = (await opened.reopen?.()) ?? store;
        return store;
      },
    };
    testLog(subject);
    testSessions(subject);
    testValues(subject);
    testAccess(subject);
    testAudit(subject);
  });
}
