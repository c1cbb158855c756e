import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GuardedServer } from '../../server/test/support/guarded-server.ts';
import { findViolations } from './axe.ts';
import { addAuthenticator, launchBrowser, openPage } from './browser.ts';

const assetsDir = fileURLToPath(new URL('../dist', import.meta.url));
const clock = { now: Date.now() };
const server = new GuardedServer({ assetsDir, now: () => clock.now, stepUp: { risk: 'high' } });
let browser: Browser;
beforeAll(async () => {
  [browser] = await Promise.all([launchBrowser(), server.start()]);
});
afterAll(async () => {
  await browser.close();
  await server.remove();
});

const open = async (options = {}) => {
  const page = await openPage(browser, `${server.origin}/#token=${server.token}`, options);
  await page.getByRole('button', { name: 'Account' }).waitFor();
  return page;
};
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Log in again' });

async function showToken(page: Page, token: string): Promise<void> {
  await dialog(page).getByLabel('Token').fill(token);
  await dialog(page).getByRole('button', { name: 'Continue' }).click();
}

test('[SEC9] the page asks for the token before a mode that never asks, and sends the held request afterwards', async () => {
  const page = await open();
  await page.getByLabel('Message', { exact: true }).fill('hello');
  await page.getByLabel('Message', { exact: true }).press('Enter');
  await page.waitForURL(/\/s\//);
  clock.now += 2 * 3_600_000;
  await page.getByRole('button', { name: /^Permissions/ }).click();
  await page.getByRole('radio', { name: 'Never ask' }).check();
  await page.getByRole('checkbox').check();
  const stop = page.getByRole('button', { name: 'Stop asking in this session' });
  await stop.click();
  await dialog(page).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('alert').getByText('show your token again').waitFor();
  await stop.click();
  await showToken(page, 'not the token');
  await dialog(page).getByText('This token is invalid').waitFor();
  await showToken(page, server.token);
  await page.getByText('From the next call: Never ask.').waitFor();
  expect(await dialog(page).count()).toBe(0);
  await page.context().close();
});

test('[SEC9] and before it logs out other devices', async () => {
  const page = await open();
  clock.now += 2 * 3_600_000;
  const phone = await open({ userAgent: 'Mozilla/5.0 (iPhone) Safari/605' });
  await phone.waitForLoadState('networkidle');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Devices' }).click();
  await page.getByRole('button', { name: 'Log out Safari on iPhone' }).click();
  await showToken(page, server.token);
  await phone.getByLabel('Token').waitFor();
  await Promise.all([page, phone].map((each) => each.context().close()));
});

test('[SEC9, SIGN2] and before it adds a passkey, which it then makes at once', async () => {
  const address = `http://localhost:${server.local.port}/#token=${server.token}`; // passkeys need a name
  const page = await openPage(browser, address);
  await page.getByRole('button', { name: 'Account' }).waitFor();
  await addAuthenticator(page);
  clock.now += 2 * 3_600_000;
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Devices' }).click();
  const add = page.getByRole('button', { name: 'Add a passkey' });
  await add.click();
  await dialog(page).getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('You have none.').waitFor();
  await add.click();
  await showToken(page, server.token);
  await page.getByRole('button', { name: /^Remove / }).waitFor();
  expect(await dialog(page).count()).toBe(0);
  expect(await server.local.store.passkeys.list('owner')).toHaveLength(1);
  await page.context().close();
});
