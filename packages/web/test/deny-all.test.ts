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

test('[REV5, WEB9] “Do this instead” denies all that is asked with the words of the message, and says so before it is sent', async () => {
  await say('/call delete_files {"files": ["a.txt"]}\n/call delete_files {"files": ["b.txt"]}');
  await page.getByText('A message: the agent reads it after the answer').waitFor();
  const other = await openTab(await openWindow(page.context()), page.url());
  await button('Do this instead').click();
  await page.getByText('Denies all that is asked, and the agent reads it').waitFor();
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
  await button('Do this instead').click();
  await button('Just a message').click();
  await page.getByText('A message: the agent reads it after the answer').waitFor();
  await button('Do this instead').click();
  await say(words);
  await page.getByText('Cancelled', { exact: true }).waitFor();
  await page.getByText('ask_user returned:').waitFor();
});

test('[REV5, WEB9] the choice ends with the questions that it was made for', async () => {
  await say('/call delete_files {"files": ["a.txt"]}');
  await button('Write a message instead').click();
  await button('Do this instead').click();
  await box().fill(words);
  const other = await openTab(await openWindow(page.context()), page.url());
  await button('Deny', other).click();
  await page.getByText('It is settled: what you wrote is a message now').waitFor();
  await other.getByLabel('Message', { exact: true }).fill('/call delete_files {"files": ["c.txt"]}');
  await other.getByLabel('Message', { exact: true }).press('Enter');
  await page.getByText('A message: the agent reads it after the answer').waitFor();
  await expect
    .poll(() =>
      button('Send')
        .click()
        .then(() => box().inputValue()),
    )
    .toBe(''); // a press right after the change is ignored
  await page.getByRole('list', { name: 'Queued messages' }).getByText(words).waitFor();
  expect(await button('Deny').isVisible()).toBe(true);
});

test('[REV5, INT19] words that are too long for a reason stay in the box', async () => {
  await say('/call delete_files {"files": ["a.txt"]}');
  await button('Write a message instead').click();
  await button('Do this instead').click();
  await box().fill('x'.repeat(10_001));
  await button('Deny all and send').click();
  await page.getByText('A reason has at most 10000 characters.').waitFor();
  expect((await box().inputValue()).length).toBe(10_001);
  await box().fill(words);
  await button('Deny all and send').click();
  await page.getByText('delete_files returned:').waitFor();
});
