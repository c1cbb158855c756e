import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openTab } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let channel = 0;
beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--no-auth').start()]);
});
afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});
afterAll(async () => {
  await browser.close();
  await parley.stop();
});

interface Question {
  readonly title: string;
  readonly lines?: number;
}

/** Lets a program ask for approvals in a new session. @returns its id */
async function ask(questions: readonly Question[], from = 'Build 812'): Promise<string> {
  channel += 1;
  let sessionId = '';
  for (const { title, lines = 1 } of questions) {
    const text = Array.from({ length: lines }, (_, n) => `step ${n + 1} of ${title}`).join('\n');
    const response = await fetch(new URL('/api/calls', parley.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        channel: `channel-${channel}`,
        callId: `${channel}-${title.replaceAll(/\W/g, '-')}`,
        toolName: 'request_approval',
        args: { title, prompt: `${title} Yes or no?`, subject: { kind: 'text', text } },
        from: { name: from },
      }),
    });
    expect(response.ok).toBe(true);
    sessionId = ((await response.json()) as { sessionId: string }).sessionId;
  }
  return sessionId;
}

async function open(path: string, viewport = { width: 1280, height: 800 }): Promise<Page> {
  const context = await browser.newContext({ viewport, reducedMotion: 'reduce' });
  return openTab(await context.newPage(), new URL(path, parley.url).href);
}

const card = (page: Page, name: string) => page.getByRole('article', { name });
const focusIn = (page: Page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.textContent?.trim() ?? '';
  });

test('[WEB5] in a session of a program the next card gets the focus after an answer', async () => {
  const id = await ask([{ title: 'First?' }, { title: 'Second?' }, { title: 'Third?' }]);
  const page = await open(`/s/${id}`);
  await card(page, 'Second?').getByRole('button', { name: 'Deny' }).press('Enter');
  await expect.poll(() => focusIn(page)).toBe('Third?');
});

test('[WEB5] a digit without a focus answers nothing if several questions are open', async () => {
  const id = await ask([{ title: 'First?' }, { title: 'Second?' }]);
  const page = await open(`/s/${id}`);
  await card(page, 'Second?').getByRole('button', { name: 'Deny' }).waitFor();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  await page.keyboard.press('1');
  expect(await page.locator('[data-answer]:focus').count()).toBe(0);
});

test('[WEB7] Enter denies nothing after a digit whose button is disabled: what has to be read gets the focus', async () => {
  const id = await ask([{ title: 'A long one?', lines: 200 }]);
  const page = await open(`/s/${id}`, { width: 1280, height: 500 });
  await card(page, 'A long one?').getByRole('button', { name: 'Deny' }).focus();
  await page.keyboard.press('2');
  await expect.poll(() => page.locator('[data-answer]:focus').count()).toBe(0);
  expect(await page.evaluate(() => document.activeElement?.matches('body') ?? true)).toBe(false);
});

test('[SEC5, WEB7] the buttons of a card that comes into view do not cover its question', async () => {
  const id = await ask([
    { title: 'First?', lines: 12 },
    { title: 'Second?', lines: 12 },
  ]);
  const page = await open(`/s/${id}`, { width: 1280, height: 760 });
  const log = page.getByRole('log');
  const second = card(page, 'Second?');
  await second.getByRole('button', { name: 'Deny' }).waitFor();
  for (let top = 0; top < 1200; top += 20) {
    await log.evaluate((element, to) => element.scrollTo(0, to), top);
    const covered = await second.evaluate((element) => {
      const heading = element.querySelector('h2')?.getBoundingClientRect();
      const foot = element.querySelector('parley-approval')?.getBoundingClientRect();
      return heading !== undefined && foot !== undefined && foot.top < heading.bottom;
    });
    expect(covered).toBe(false);
  }
});

test('[WEB5] keys typed before the palette is loaded are no shortcuts', async () => {
  const id = await ask([{ title: 'Only?' }]);
  const page = await open(`/s/${id}`);
  let release = () => {};
  const typed = new Promise<void>((resolve) => {
    release = resolve;
  });
  await card(page, 'Only?').getByRole('button', { name: 'Deny' }).waitFor();
  await page.route(/palette-.*\.js/, async (route) => {
    await typed;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('1');
  expect(await page.locator('[data-answer]:focus').count()).toBe(0);
  release();
  await page.getByRole('combobox').waitFor();
});

test('[APR5] a review of several sessions names who asks, and where', async () => {
  await ask([{ title: 'The same?' }], 'Bot one');
  await ask([{ title: 'The same?' }], 'Bot two');
  const page = await open('/inbox');
  await page.getByRole('button', { name: 'Review together' }).click();
  const rows = page.getByRole('article', { name: 'The same?' });
  await expect.poll(() => rows.count()).toBe(2);
  const names = await rows.getByRole('checkbox').evaluateAll((boxes) => boxes.map((box) => box.ariaLabel));
  expect(new Set(names).size).toBe(2);
});
