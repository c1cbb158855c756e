import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab, openWindow } from './browser.ts';
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
const button = (name: string, tab = page) => tab.getByRole('button', { name, exact: true });
const words = 'Write a plan first.';

async function say(text: string): Promise<void> {
  await box().fill(text);
  await box().press('Enter');
}

test('[REV5, WEB9] “Stop asking” denies all that is asked with the words of the message, and says so before it is sent', async () => {
  await say('/call delete_files {"files": ["a.txt"]}\n/call delete_files {"files": ["b.txt"]}');
  await page.getByText('A message: the agent reads it after the answer').waitFor();
  const other = await openTab(await openWindow(page.context()), page.url());
  await button('Stop asking').click();
  await page.getByText('Denies all that is asked, and the agent reads this').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await box().fill(words);
  await button('Deny all and send').click();
  for (const tab of [page, other]) {
    await expect.poll(() => tab.getByText('Denied', { exact: true }).count()).toBe(2);
    await tab.getByText(words, { exact: true }).last().waitFor();
    expect(await tab.getByText(`“${words}”`).count()).toBe(2);
  }
  await expect.poll(() => box().inputValue()).toBe('');
});

test('[REV5] with a single question the choice is next to the message, and can be taken back', async () => {
  await say('/call ask_user {"question": "Which?"}');
  await button('Write a message instead').click();
  await button('Stop asking').click();
  await button('Just a message').click();
  await page.getByText('A message: the agent reads it after the answer').waitFor();
  await button('Stop asking').click();
  await say(words);
  await page.getByText('Cancelled').waitFor();
  await page.getByText('ask_user returned:').waitFor();
});

test('[REV5, INT19] words that deny nothing any more are a message, or come back into the box', async () => {
  await say('/call delete_files {"files": ["a.txt"]}');
  await button('Write a message instead').click();
  await button('Stop asking').click();
  await box().fill(words);
  const other = await openTab(await openWindow(page.context()), page.url());
  await button('Deny', other).click();
  await button('Send').waitFor();
  await box().press('Enter');
  await page.locator('parley-transcript').getByText(words, { exact: true }).waitFor();
});
