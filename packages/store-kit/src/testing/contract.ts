import type { Store } from '@parleyhq/core';
import { afterEach, beforeEach, describe } from 'vitest';
import { testAccess } from './contract/access.ts';
import { testAudit } from './contract/audit.ts';
import { testCounting } from './contract/counting.ts';
import { testReach } from './contract/deliveries.ts';
import { testLinks } from './contract/links.ts';
import { testLog } from './contract/log.ts';
import { testOutside } from './contract/outside.ts';
import { testPasskeys } from './contract/passkeys.ts';
import { testSessions } from './contract/sessions.ts';
import { testStatistics } from './contract/statistics.ts';
import type { OpenedStore, Subject } from './contract/subject.ts';
import { testValues } from './contract/values.ts';

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
      another: async () => opened.another?.(),
    };
    testLog(subject);
    testSessions(subject);
    testValues(subject);
    testAccess(subject);
    testLinks(subject);
    testPasskeys(subject);
    testAudit(subject);
    testOutside(subject);
    testReach(subject);
    testStatistics(subject);
    testCounting(subject);
  });
}
