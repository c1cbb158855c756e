import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab, pressUntilGone } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let page: Page;

beforeAll(async () => {
  const server = new Parley('--no-auth', '--plugin', 'packages/web/test/plugins/publish.mjs');
  [browser, parley] = await Promise.all([launchBrowser(), server.start()]);
  page = await openTab(await browser.newPage({ viewport: { width: 1180, height: 820 } }), parley.url);
});

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

const dialog = () => page.getByRole('dialog', { name: 'How much is asked' });
const rowOf = (name: string) => dialog().getByRole('row', { name: new RegExp(name) });

async function openFromPalette(): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a session or an action' }).fill('Statistics');
  await page.getByRole('option', { name: 'Statistics' }).waitFor();
  await page.keyboard.press('Enter');
  await dialog().waitFor();
}

async function publish(name: string, answer: 'Deny'): Promise<void> {
  const box = page.getByLabel('Message', { exact: true });
  await box.fill(`/call publish {"name":"${name}"}`);
  await box.press('Enter');
  await pressUntilGone(page.getByRole('button', { name: answer, exact: true }));
  await page.locator('parley-transcript').getByText('Denied').first().waitFor();
}

test('[LESS1] the page says plainly that nothing was asked yet', async () => {
  await openFromPalette();
  await dialog().getByText('Nothing yet').waitFor();
  await expect.poll(() => findViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
});

test('[LESS1] a bar shows how much of what was asked was allowed unread, and a screen reader hears it', async () => {
  const path = '**/api/stats?*';
  await page.route(path, async (route) => {
    const reply = await (await route.fetch()).json();
    const group = (key: string, asked: number, unread: number) => ({
      ...reply.total,
      key,
      asked,
      approved: asked,
      unread,
    });
    const groups = [group('often', 8, 6), group('seldom', 2, 0)];
    await route.fulfill({ json: { ...reply, groups, total: group('', 10, 6) } });
  });
  await openFromPalette();
  const widthsOf = async (name: string) => {
    const bars = await rowOf(name).locator('rect').all();
    return Promise.all(bars.map(async (bar) => [await bar.getAttribute('class'), await bar.getAttribute('width')]));
  };
  await rowOf('often').waitFor();
  expect(await widthsOf('often')).toEqual([
    ['asked', '100'],
    ['unread', '75'],
  ]);
  expect(await widthsOf('seldom')).toEqual([['asked', '25']]);
  await dialog().getByText('10 asked, 10 allowed, of these 6 unread.').waitFor({ state: 'attached' });
  await page.unroute(path);
  await page.keyboard.press('Escape');
});

test('[LESS1] the page shows what was asked, narrows it by keyboard, and is reached from the permissions', async () => {
  await publish('today', 'Deny');
  await page.getByRole('button', { name: /^Permissions/ }).click();
  await page.getByRole('button', { name: 'How much is asked' }).click();
  await rowOf('publish').waitFor();
  expect(await dialog().getByRole('columnheader').allInnerTexts()).toEqual(
    expect.arrayContaining(['By tool', 'Asked', 'Allowed', 'Denied', 'Median']),
  );
  expect((await rowOf('publish').getByRole('cell').allInnerTexts()).slice(0, 3)).toEqual(['1', '0', '1']);
  expect(await dialog().textContent()).not.toContain('today');
  for (const scheme of ['light', 'dark'] as const)
    for (const width of [1180, 390]) {
      await page.setViewportSize({ width, height: 820 });
      await page.emulateMedia({ colorScheme: scheme });
      await expect.poll(() => findViolations(page)).toEqual([]);
      const isInside = await dialog().evaluate((it) => it.scrollWidth <= it.clientWidth);
      expect(isInside).toBe(true); // only the table itself scrolls
    }
  await rowOf('publish').getByRole('button', { name: 'publish' }).press('Enter');
  await dialog().getByRole('columnheader', { name: 'By rule' }).waitFor();
  await rowOf('No rule').waitFor();
  await dialog().getByRole('button', { name: 'Only publish' }).press('Enter');
  await dialog().getByLabel('Group').selectOption('person');
  await dialog().getByRole('columnheader', { name: 'By person' }).waitFor();
  await dialog().getByLabel('Period').selectOption('all');
  await dialog().getByRole('button', { name: 'Only this session' }).press('Enter');
  await dialog().getByRole('button', { name: 'Only this session: show all again' }).waitFor();
});
