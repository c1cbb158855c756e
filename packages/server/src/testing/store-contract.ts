import type { Store } from '@parleyhq/core';
import { afterEach, beforeEach, describe } from 'vitest';
import { testAccess } from './store-contract/access.ts';
import { testAudit } from './store-contract/audit.ts';
import { testReach } from './store-contract/deliveries.ts';
import { testLog } from './store-contract/log.ts';
import { testOutside } from './store-contract/outside.ts';
import { testSessions } from './store-contract/sessions.ts';
import type { OpenedStore, Subject } from './store-contract/subject.ts';
import { testValues } from './store-contract/values.ts';

/** Tests the contract of every store. */
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
      get isRemote() {
        return opened.isRemote ?? false;
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
    testOutside(subject);
    testReach(subject);
  });
}
