import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useGuardedServer } from '../../server/test/support/guarded-server.ts';
import { findViolations } from './axe.ts';
import { addAuthenticator, launchBrowser, openPage } from './browser.ts';

const server = useGuardedServer({
  authenticate: ({ headers }) =>
    headers.cookie?.includes('app=ann') ? { id: 'ann', name: 'Ann', role: 'operator' } : undefined,
  assetsDir: fileURLToPath(new URL('../dist', import.meta.url)),
});
let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser.close());

test('[SIGN2, TRN3a] a person of the embedding application, who has no log-in here, adds and removes a passkey', async () => {
  const url = `http://localhost:${server.local.port}`;
  const page = await openPage(browser, url, {
    storageState: {
      cookies: [
        {
          ...{ name: 'app', value: 'ann', domain: 'localhost', path: '/', expires: -1 },
          ...{ httpOnly: true, secure: false, sameSite: 'Strict' },
        },
      ],
      origins: [],
    },
  });
  await addAuthenticator(page);
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Devices' }).click();
  await page.getByText('you came in without a log-in').waitFor();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const remove = page.getByRole('button', { name: /^Remove / });
  await remove.waitFor();
  expect(await server.local.store.passkeys.list('ann')).toHaveLength(1);
  expect(await findViolations(page)).toEqual([]);
  await remove.click();
  await page.getByText('You have none.').waitFor();
  await page.context().close();
});
