import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { fill, launchFirefox, named, openFirefoxTab, press, text } from './firefox.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchFirefox(), new Parley('--no-auth').start()]);
});

beforeEach(async () => {
  context = await browser.createBrowserContext();
  page = await openFirefoxTab(await context.newPage(), parley.url);
});

afterEach(() => context.close());

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

async function say(words: string): Promise<void> {
  await fill(page, 'Message', words);
  await page.keyboard.press('Enter');
}

/** Returns the text of the page, through all shadow roots. */
const read = (tab: Page) =>
  tab.evaluate(() => {
    const textOf = (node: Node): string => {
      if (node instanceof Text) return node.data;
      const { shadowRoot, assignedSlot } = node as Element;
      if (
        node instanceof HTMLStyleElement ||
        (node as Element).checkVisibility?.() === false ||
        assignedSlot === undefined
      )
        return '';
      return [...(shadowRoot?.childNodes ?? []), ...node.childNodes].map(textOf).join(' ');
    };
    return textOf(document.body).replace(/\s+/g, ' ');
  });

test('[WEB3] an approval is read, and answered', async () => {
  await say('/call delete_files {"files": ["todo.txt"]}');
  await text(page, 'High risk');
  await page.evaluate(axe.source);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    return (await axe.run(document)).violations.map(({ id }) => id);
  });
  expect(violations).toEqual([]);
  await press(page, 'Allow once');
  await text(page, 'delete_files returned:');
  await text(page, 'Allowed once');
});

test('[INT16] a form is checked, filled in and sent', async () => {
  await say('/call collect_email');
  await fill(page, 'Email', 'ada');
  await page.keyboard.press('Enter');
  await text(page, 'attempt 2');
  await fill(page, 'Email', 'ada@example.org');
  await press(page, 'OK');
  await text(page, 'collect_email returned:');
});

test('[INT4] two tabs answer at the same moment: one wins, and both show its answer', async () => {
  await say('/call delete_files {"files": ["todo.txt"]}');
  const here = await named(page, 'Deny');
  const other = await openFirefoxTab(await context.newPage(), page.url());
  const there = await named(other, 'Deny');
  await Promise.all([here, there].map((button) => button.evaluate((element) => (element as HTMLElement).click())));
  const told: boolean[] = [];
  for (const tab of [page, other]) {
    await tab.bringToFront();
    await text(tab, 'delete_files returned:');
    told.push(/Answered on another device/.test(await read(tab)));
  }
  expect(told.sort()).toEqual([false, true]);
});

test('[RPL3, INT18] a reload keeps an open prompt with what was typed, and an answer', async () => {
  await say('/call collect_email');
  await fill(page, 'Email', 'ada@example.org');
  await page.reload();
  const email = await named(page, 'Email');
  expect(await email.evaluate((element) => (element as HTMLInputElement).value)).toBe('ada@example.org');
  await press(page, 'OK');
  await text(page, 'collect_email returned:');
  await page.reload();
  await text(page, 'by you');
});

test('[WEB5, WEB8] the whole inbox can be handled by keyboard, and the next card takes the focus', async () => {
  const own = await new Parley('--no-auth').start(); // nothing else is in its inbox
  onTestFinished(() => own.stop());
  const tab = await Tab.open(new URL('/ws', own.url.replace('http', 'ws')).href);
  onTestFinished(() => tab.close());
  for (const question of ['First?', 'Second?']) {
    const sessionId = await tab.createSession();
    await tab.follow(sessionId);
    await tab.say(sessionId, `/call ask_user ${JSON.stringify({ question })}`);
    await expect.poll(() => tab.events(sessionId).some(({ type }) => type === 'interaction_request')).toBe(true);
  }
  await page.goto(new URL('/inbox', own.url).href);
  await text(page, 'First?');
  await page.keyboard.press('j');
  await expect.poll(() => findFocus()).toContain('First?');
  await page.keyboard.press('Tab');
  while (!(await findFocus()).startsWith('input') && !(await findFocus()).startsWith('textarea'))
    await page.keyboard.press('Tab');
  await page.keyboard.type('Bern');
  await page.keyboard.down('Control');
  await page.keyboard.press('Enter');
  await page.keyboard.up('Control');
  await text(page, 'Answered: First?');
  await expect.poll(() => findFocus()).toContain('Second?');
});

/** Returns the focused element and its text. */
const findFocus = () =>
  page.evaluate(() => {
    let focus = document.activeElement;
    while (focus?.shadowRoot?.activeElement) focus = focus.shadowRoot.activeElement;
    const card = focus?.getRootNode() as ShadowRoot;
    return `${focus?.localName} ${focus?.textContent} ${card.querySelector?.('h2')?.textContent ?? ''}`;
  });
