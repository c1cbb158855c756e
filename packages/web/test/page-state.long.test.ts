import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser, openTab } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--no-auth').start()]);
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1180, height: 820 } });
  context.setDefaultTimeout(15_000);
  page = await openTab(await context.newPage(), parley.url);
});

afterEach(() => context.close());

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

async function say(text: string): Promise<void> {
  const composer = page.getByLabel('Message', { exact: true });
  await composer.fill(text);
  await composer.press('Enter');
  await page.waitForURL(/\/s\//);
}

test('[WEB6] the icon of the installed page shows how many prompts wait for this person', async () => {
  await page.evaluate(() => {
    const badges: number[] = [];
    const setAppBadge = async (count: number) => void badges.push(count);
    const clearAppBadge = async () => void badges.push(0);
    for (const [name, value] of Object.entries({ setAppBadge, clearAppBadge }))
      Object.defineProperty(navigator, name, { value });
    Object.assign(window, { badges });
  });
  await say('/call collect_email');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect.poll(() => page.evaluate(() => (window as unknown as { badges: number[] }).badges)).toEqual([1, 0]);
});

test('[RPL3] who else is there is not shown while the connection is lost', async () => {
  const sockets: { close(): Promise<void> }[] = [];
  let isDown = false;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    if (isDown) return void socket.close();
    socket.connectToServer();
    sockets.push(socket);
  });
  await page.reload();
  await say('/call collect_email');
  const other = await openTab(await context.newPage(), page.url());
  await other.getByRole('button', { name: 'OK' }).waitFor();
  const presence = page.locator('.presence').getByText('2 here');
  await presence.waitFor();
  isDown = true;
  await page.route('**/healthz', (route) => route.abort());
  for (const socket of sockets) await socket.close();
  await presence.waitFor({ state: 'detached' });
});

test('[WEB5] skipping the list leads to the conversation, and Tab from there to the open card', async () => {
  await say('/call collect_email');
  await page.getByRole('button', { name: 'OK' }).waitFor();
  await page.reload();
  await page.getByRole('button', { name: 'OK' }).waitFor();
  await page.getByRole('button', { name: 'Skip the list of sessions' }).press('Enter');
  const isInCard = () => page.locator('parley-card').evaluate((card) => card.matches(':focus-within'));
  for (let tabs = 0; tabs < 3 && !(await isInCard()); tabs += 1) await page.keyboard.press('Tab');
  expect(await isInCard()).toBe(true);
});
