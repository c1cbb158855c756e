import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser, openTab, openWindow } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let context: BrowserContext;

beforeAll(async () => {
  const server = new Parley('--no-auth', '--plugin', 'packages/web/test/plugins/publish.mjs');
  [browser, parley] = await Promise.all([launchBrowser(), server.start()]);
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1180, height: 820 } });
});

afterEach(() => context.close());

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

const call = (name: string) => `/call publish ${JSON.stringify({ name })}`;
const cards = (page: Page) => page.locator('parley-card').filter({ hasText: /Publish (one|two)\?/ });

async function openWithTwo(): Promise<Page> {
  const page = await openTab(await context.newPage(), parley.url);
  await page.getByLabel('Message', { exact: true }).fill(`${call('one')}\n${call('two')}`);
  await page.getByLabel('Message', { exact: true }).press('Enter');
  await page.getByText('2 approvals are open').waitFor();
  return page;
}

test('[APR5, SEC5] approvals are answered together only once their cards are on the page', async () => {
  const first = await openWithTwo();
  const slow = await openWindow(context);
  const held: (() => void)[] = [];
  let isSlow = true;
  let hasSnapshot = false;
  await slow.routeWebSocket(/\/ws$/, (line) => {
    const server = line.connectToServer();
    line.onMessage((text) => server.send(text));
    server.onMessage((text) => {
      if (isSlow && hasSnapshot) held.push(() => line.send(text));
      else line.send(text);
      hasSnapshot ||= JSON.parse(String(text)).type === 'snapshot';
    });
  });
  await openTab(slow, first.url());
  await slow.getByRole('button', { name: 'Stop', exact: true }).waitFor(); // the snapshot says that a turn is running
  expect(hasSnapshot).toBe(true);
  expect(await cards(slow).count()).toBe(0);
  expect(await slow.getByRole('group', { name: 'All open approvals' }).count()).toBe(0);

  isSlow = false;
  for (const release of held) release();
  await slow.getByText('2 approvals are open').waitFor();
  expect(await cards(slow).count()).toBe(2);
  await slow.getByRole('button', { name: 'Review together' }).click();
  const all = slow.getByRole('button', { name: 'Allow 2 once' });
  await expect.poll(() => all.isEnabled()).toBe(true);
  await all.press('Enter');
  for (const name of ['one', 'two']) await first.getByText(`publish returned: "${name}: yes"`).waitFor();
});

test('[APR5, SEC5] an approval whose card cannot be shown is not answered together with others', async () => {
  const page = await openWithTwo();
  await cards(page)
    .first()
    .evaluate((card) => card.dispatchEvent(new Event('parley-broken')));
  await page.getByText('A prompt that cannot be shown').waitFor();
  await page.getByRole('button', { name: 'Review together' }).click();
  const all = page.getByRole('button', { name: 'Allow 1 once' });
  await expect.poll(() => all.isEnabled()).toBe(true);
  await all.press('Enter');
  const other = await openTab(await openWindow(context), page.url());
  const one = other.locator('parley-card').filter({ hasText: 'Publish one?' });
  const left = one.getByRole('button', { name: 'Allow once' });
  await other.getByText('Allowed once').waitFor();
  await expect.poll(() => left.isEnabled({ timeout: 500 }).catch(() => false)).toBe(true);
  await left.press('Enter');
  for (const name of ['one', 'two']) await other.getByText(`publish returned: "${name}: yes"`).waitFor();
});
