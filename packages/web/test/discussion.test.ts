import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab, openWindow, pressUntilGone } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let page: Page;

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--no-auth').start()]);
});

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

beforeEach(async () => {
  const context = await browser.newContext({ viewport: { width: 1180, height: 820 } });
  onTestFinished(() => context.close());
  page = await openTab(await context.newPage(), parley.url);
});

const box = (tab = page) => tab.getByLabel('Message', { exact: true });
const discuss = (tab = page) => tab.getByRole('button', { name: 'Discuss' });
const comment = (tab = page) => tab.getByRole('textbox', { name: /^Comment on / });
const said = (tab = page) => tab.getByRole('list', { name: 'Comments on the question' });

async function ask(): Promise<void> {
  await box().fill('/call delete_files {"files": ["a.txt"]}');
  await box().press('Enter');
  await discuss().click();
}

test('[REV4] a comment is shown under the card in every tab and after a reload, and the question stays open', async () => {
  await ask();
  const other = await openTab(await openWindow(page.context()), page.url());
  await expect.poll(() => comment().evaluate((element) => element.matches(':focus'))).toBe(true);
  expect(await findViolations(page)).toEqual([]);
  await comment().fill('Is there\na backup?');
  await comment().press('Enter');
  for (const tab of [page, other])
    await expect.poll(() => said(tab).innerText()).toMatch(/You · .*\s+Is there\na backup\?/);
  await expect.poll(() => comment().inputValue()).toBe('');
  await discuss(other).click();
  await comment(other).fill('There is.');
  await other.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.getByText('There is.').waitFor();
  await page.reload();
  await expect.poll(() => said().innerText()).toMatch(/backup\?[\s\S]*There is\./);
  await pressUntilGone(page.getByRole('button', { name: 'Allow once' })); // the card may still grow by what is loaded
  await page.getByText('Allowed once').first().click();
  await page.getByText('There is.').waitFor();
});

test('[REV4, INT5] what is typed survives a reload, and can be copied if the question is settled first', async () => {
  await ask();
  await comment().fill('Is there a backup?');
  await page.reload();
  await discuss().click();
  expect(await comment().inputValue()).toBe('Is there a backup?');
  const other = await openTab(await openWindow(page.context()), page.url());
  await other.getByRole('button', { name: 'Deny', exact: true }).click();
  await page.getByText('Yours (Is there a backup?) was not used').waitFor();
});

test('[REV4] a comment that is refused stays in the box, with the reason', async () => {
  await ask();
  await comment().fill('x'.repeat(8193));
  await comment().press('Enter');
  await page.getByText('A comment may have 8 KiB: this one is longer.').waitFor();
  expect((await comment().inputValue()).length).toBe(8193);
});

test('[REV4] where whoever asks cannot reply, the card says so, and the words can be the reason of a denial', async () => {
  await ask();
  await page.getByText('Only people can reply here.').waitFor();
  await expect.poll(() => page.getByRole('button', { name: 'Deny and ask' }).isDisabled()).toBe(true);
  await comment().fill('Is there a backup?');
  await page.getByRole('button', { name: 'Deny and ask' }).click();
  await page.getByText('Denied').first().waitFor();
  await expect.poll(() => page.getByText('Is there a backup?').first().isVisible()).toBe(true);
  expect(await page.getByText('was not used').count()).toBe(0);
});

test('[REV4] a program that replies is marked, and in the inbox its question shows what was said last', async () => {
  const call = (path: string, body: object) =>
    fetch(new URL(path, parley.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }).then((response) => response.json() as Promise<{ toolCallId: string; comments: { commentId: string }[] }>);
  const args = { question: 'Ship it?', comments: true };
  const asking = call('/api/calls?wait=60', { channel: `nightly-${Date.now()}`, toolName: 'ask_human', args });
  const toInbox = () => page.goto(new URL('/inbox', parley.url).href);
  await toInbox();
  await page.getByText('Ship it?').first().click();
  await discuss().click();
  expect(await page.getByText('Only people can reply here.').count()).toBe(0);
  await comment().fill('Is it tested?');
  await comment().press('Enter');
  const { toolCallId, comments } = await asking;
  await call(`/api/calls/${toolCallId}/comments`, { replyTo: comments[0]?.commentId, text: 'Yes, twice.' });
  await expect
    .poll(() => said().innerText())
    .toMatch(/You · .*\s+Is it tested\?[\s\S]*\(asks this\) · .*\s+Yes, twice\./);
  await toInbox();
  await page.getByText('“Yes, twice.”').waitFor();
});
