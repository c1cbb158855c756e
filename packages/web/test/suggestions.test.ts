import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;

beforeAll(async () => {
  const server = new Parley('--no-auth', '--plugin', 'packages/server/test/plugins/suggesting.mjs');
  [browser, parley] = await Promise.all([launchBrowser(), server.start()]);
});

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.getByLabel('Message', { exact: true }).press('Enter');
}

const sweep = (page: Page, path: string) => say(page, `/call sweep {"path":"${path}"}`);

async function allowOnce(page: Page, path: string): Promise<void> {
  await sweep(page, path);
  const card = page.locator('parley-card').filter({ hasText: `rm ${path}` });
  const button = card.getByRole('button', { name: 'Allow once' });
  await expect.poll(() => button.isEnabled().catch(() => false)).toBe(true);
  await button.press('Enter');
  await page.getByText('returned:').last().waitFor();
}

test('[LESS2] a card says what differs, and offers the rule that would have covered what was allowed', async () => {
  const page = await openTab(await browser.newPage({ viewport: { width: 1180, height: 900 } }), parley.url);
  for (const name of ['a', 'b', 'c', 'd', 'e']) await allowOnce(page, `tmp/${name}`);
  await sweep(page, 'tmp/f');
  await page.getByText('Unlike last time, when it was allowed; other path: tmp/e → tmp/f.').waitFor();
  const rule = page.getByRole('region', { name: 'A rule that you could use' });
  await rule.getByText('You allowed this 5 times: everything in tmp, in this session.').waitFor();
  await rule.getByText('Each time').first().click();
  await rule.getByText('rm tmp/e').first().waitFor();
  await rule.getByText('A wider rule').click();
  await rule.getByText('You allowed this 5 times: everything, in this session.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  for (const checked of await page.locator('input:checked').all()) expect(await checked.isVisible()).toBe(false);
  const use = rule.getByRole('button', { name: 'Use this rule' }).first();
  await expect.poll(() => use.isEnabled()).toBe(true);
  await use.press('Enter');
  await page.getByText('Allowed: everything in tmp').waitFor();
  await sweep(page, 'tmp/g');
  await page.getByText('returned:').last().waitFor();
  await page
    .getByRole('button', { name: /^Permissions/ })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: 'What runs without asking' });
  await dialog.getByRole('heading', { name: 'Suggested' }).waitFor();
  await dialog.getByText('You allowed this 5 times: everything, in this session.').waitFor();
  await dialog.getByRole('button', { name: 'Don’t suggest it again' }).click();
  await dialog.getByText('It is not suggested to you again.').waitFor();
  expect(await dialog.getByRole('heading', { name: 'Suggested' }).count()).toBe(0);
  const shown = dialog.locator('parley-suggestions');
  await shown.evaluate((element) => Object.assign(element, { sessionId: 'another' }));
  await expect.poll(() => shown.getByText('It is not suggested to you again.').count()).toBe(0);
  await page.keyboard.press('Escape');
  await allowOnce(page, 'other/a');
  await say(page, '/call sweep {"path":"other/a","isDry":true}');
  await page.getByText('Same path as last time, when it was allowed; isDry is new.').waitFor();
});
