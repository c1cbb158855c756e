import type { Browser, BrowserContext, Page, WebSocketRoute } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser, openTab, openWindow } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let context: BrowserContext;
let page: Page;
/** The page's connections, the current one last. */
let lines: WebSocketRoute[];

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley().start()]);
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1180, height: 820 } });
  page = await context.newPage();
  lines = [];
  await page.routeWebSocket(/\/ws$/, (line) => {
    lines.push(line);
    line.connectToServer();
  });
  await logIn(page);
  await message().fill('/call collect_email');
  await message().press('Enter');
  await email().fill('half-typed@example.org');
  await message().fill('half-written');
  await expect.poll(() => drafts()).toEqual(['parley.draft', 'parley.message']);
});

afterEach(() => context.close());

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

const message = () => page.getByLabel('Message', { exact: true });
const email = () => page.getByRole('textbox', { name: 'Email' });
const drafts = () =>
  page.evaluate(() =>
    Object.keys(sessionStorage)
      .map((key) => key.split('.').slice(0, 2).join('.'))
      .filter((key) => key === 'parley.draft' || key === 'parley.message')
      .sort(),
  );

/** Logs in as a new principal. */
async function logIn(tab: Page): Promise<void> {
  const url = await parley.urlFor('operator');
  await Promise.all([tab.waitForResponse(/\/api\/login$/), openTab(tab, url)]);
}

async function expectNothingTyped(): Promise<void> {
  await expect.poll(() => drafts().catch(() => undefined)).toEqual([]); // the page may still be loading
  await expect
    .poll(() =>
      email()
        .inputValue({ timeout: 1000 })
        .catch(() => undefined),
    )
    .toBe('');
  expect(await message().inputValue()).toBe('');
}

test('[INT18, SEC4] drafts are not visible to the next person who logs in in the tab', async () => {
  const session = page.url();
  await logIn(page);
  await page.goto(session);
  await expectNothingTyped();
});

test('[INT18, SEC4] a page that reconnects as another principal keeps nothing that was typed before', async () => {
  await logIn(await openWindow(context)); // replaces the cookie
  await lines.at(-1)?.close({ code: 1012 });
  await expectNothingTyped();
});

test('[INT18, SEC4] logging out leaves nothing typed in the tab', async () => {
  await page.getByRole('button', { name: 'Account' }).click();
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Log out' }).click()]);
  await page.getByLabel('Token').waitFor();
  expect(await drafts()).toEqual([]);
});

test('[INT18] drafts survive a reconnect as the same principal', async () => {
  const before = lines.length;
  await lines.at(-1)?.close({ code: 1012 });
  await expect.poll(() => lines.length).toBeGreaterThan(before);
  await page.getByText('Answers: ').waitFor();
  expect(await message().inputValue()).toBe('half-written');
  expect(await email().inputValue()).toBe('half-typed@example.org');
});
