import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GuardedServer } from '../../server/test/support/guarded-server.ts';
import { client, TestProvider } from '../../server/test/support/oidc-provider.ts';
import { findViolations } from './axe.ts';
import { launchBrowser } from './browser.ts';

const assetsDir = fileURLToPath(new URL('../dist', import.meta.url));
const clock = { now: Date.now() };
let browser: Browser;
let provider: TestProvider;
let server: GuardedServer;

beforeAll(async () => {
  [browser, provider] = await Promise.all([launchBrowser(), TestProvider.start()]);
  const oidc = { issuer: provider.issuer, ...client, name: 'Example', roles: { 'groups=admins': 'operator' } } as const;
  server = new GuardedServer({ assetsDir, oidc, now: () => clock.now });
  await server.start();
  provider.expect(server.origin);
});
afterAll(async () => {
  await browser.close();
  await server.remove();
  await provider.stop();
});

async function open(): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${server.origin}/inbox`);
  return page;
}
async function startSession(page: Page): Promise<string> {
  await page.getByLabel('Message', { exact: true }).fill('hello');
  await page.getByLabel('Message', { exact: true }).press('Enter');
  await page.waitForURL(/\/s\//);
  return page.url();
}

async function neverAsk(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Permissions/ }).click();
  await page.getByRole('radio', { name: 'Never ask' }).check();
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Stop asking in this session' }).click();
}

const link = (page: Page, name = 'Log in with Example') => page.getByRole('link', { name });

test('[SIGN1, SEC9] a person logs in at the provider, shows again who they are, and logs out', async () => {
  provider.person = { sub: '1', groups: ['admins'], email: 'ann@example.org' };
  const page = await open();
  await link(page).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await link(page).click();
  await page.getByRole('button', { name: 'Account' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/inbox');

  clock.now += 2 * 3_600_000;
  await page.goto(server.origin);
  const session = await startSession(page);
  await neverAsk(page);
  await link(page, 'Log in again with Example').click();
  await page.waitForURL(session);
  await page.getByRole('button', { name: /^Permissions/ }).waitFor();
  clock.now += 1000;
  await neverAsk(page);
  await page.getByText('From the next call: Never ask.').waitFor();

  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Account' }).click();
  await page.getByRole('button', { name: 'Log out' }).click();
  await link(page).waitFor();
  await page.context().close();
});

test('[SIGN1] somebody without a role reads why they cannot come in', async () => {
  provider.person = { sub: '2' };
  const page = await open();
  await link(page).click();
  await page.getByRole('alert').getByText('You have no role on this server').waitFor();
  expect(new URL(page.url()).hash).toBe('');
  expect(await findViolations(page)).toEqual([]);
  await page.context().close();
});

test('[SIGN1] a server that was busy when the page asked for its provider is asked again', async () => {
  const page = await (await browser.newContext()).newPage();
  await page.route('**/api/login/ways', (route) => route.fulfill({ status: 503 }), { times: 1 });
  const busy = page.waitForResponse('**/api/login/ways');
  await page.goto(server.origin);
  expect((await busy).status()).toBe(503);
  await page.getByLabel('Token').fill(server.token);
  await page.getByLabel('Token').press('Enter');
  await startSession(page);
  clock.now += 2 * 3_600_000;
  await neverAsk(page);
  await link(page, 'Log in again with Example').waitFor();
  await page.context().close();
});
