import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openTab } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let owner: Page;

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley().start()]);
  owner = await logIn(parley.url);
});

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

/** Opens a tab and waits for its token to be exchanged for a cookie. */
async function logIn(url: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1180, height: 820 } })).newPage();
  await Promise.all([page.waitForResponse(/\/api\/login$/), openTab(page, url)]);
  return page;
}

/** Lets the owner start a session, which somebody with a token of this role opens. */
async function meet(role: string, words: string): Promise<Page> {
  await owner.goto(new URL('/', parley.url).href);
  const composer = owner.getByLabel('Message', { exact: true });
  await composer.fill(words);
  await composer.press('Enter');
  await owner.waitForURL(/\/s\//);
  return openTab(await logIn(await parley.urlFor(role)), owner.url());
}

test('[SEC4] a viewer without sessions reads that there is none, and is not offered to start one', async () => {
  const page = await logIn(await parley.urlFor('viewer'));
  await page.getByRole('heading', { name: 'No session yet' }).waitFor();
  await page.getByText('Sessions appear here when somebody starts one').waitFor();
  expect(await page.getByRole('button', { name: 'New session' }).count()).toBe(0);
  await page.close();
});

test('[SEC4] a viewer sees the prompts and why they cannot answer, without any controls', async () => {
  const page = await meet('viewer', '/call delete_files {"files": ["todo.txt"]}\n/call collect_email');
  await page.getByText('your role does not let you answer').nth(1).waitFor();
  await page.getByText('todo.txt').first().waitFor();
  await page.getByRole('textbox', { name: 'Email' }).waitFor();
  for (const name of [
    'Deny',
    'Allow once',
    'Always allow',
    'OK',
    'Cancel',
    'Add a reason',
    'Rename',
    'Delete',
    'Stop',
  ]) {
    expect([name, await page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0]);
  }
  expect(await page.getByLabel('Message', { exact: true }).count()).toBe(0);
  await page.getByText('your role does not let you write').waitFor();

  await owner.getByRole('button', { name: 'Deny' }).click();
  await page.locator('parley-card').getByText('Denied').waitFor();
  await page.goto(new URL('/', parley.url).href);
  await page.getByText('Your token does not let you start one').waitFor();
  await page.context().close();
});

test('[WEB8] "needs you" is said only to those who may answer', async () => {
  const page = await meet('viewer', '/call collect_email');
  await owner.getByRole('button', { name: /^\d waiting/ }).waitFor();
  await owner.getByRole('region', { name: 'Needs you' }).getByRole('link', { name: 'email' }).last().waitFor();

  await page.getByRole('link', { name: 'for others' }).first().waitFor();
  expect(await page.getByText(/needs? you|\d waiting/i).count()).toBe(0);
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  expect(await page.title()).toMatch(/^[^(]/);
  await page.context().close();
});

test('[SEC4] a responder can answer, but is not offered what only an operator may allow', async () => {
  const page = await meet('responder', '/call delete_files {"files": ["todo.txt"]}');
  const offered = page.locator('parley-approval [data-answer]');
  await offered.first().waitFor();
  expect(await offered.allInnerTexts()).toEqual(['Deny', 'Allow once', 'Allow for session']);
  expect(await owner.locator('parley-approval [data-answer]').allInnerTexts()).toContain('Always allow');
  expect(await page.getByRole('button', { name: 'Delete', exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: /^Permissions/ }).click();
  const permissions = page.getByRole('dialog', { name: 'What runs without asking' });
  await permissions.getByText('Only operators change this').waitFor();
  expect(await permissions.getByRole('radio', { name: 'Never ask' }).isDisabled()).toBe(true);
  await permissions.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Deny' }).click();
  await owner.locator('parley-card').getByText('Denied').waitFor();
  await page.context().close();
});
