import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab } from './browser.ts';
import { hear, takeHeard } from './hearing.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let tab: Tab;
let context: BrowserContext;
let page: Page;
let created: string[] = [];

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--no-auth').start()]);
  tab = await Tab.open(new URL('/ws', parley.url.replace('http', 'ws')).href);
});

afterEach(async () => {
  await context.close();
  for (const sessionId of created) await tab.ask({ type: 'delete_session', sessionId });
  created = [];
});

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

async function show(width: number, path = '/', more: BrowserContextOptions = {}): Promise<void> {
  context = await browser.newContext({ viewport: { width, height: 844 }, ...more });
  context.setDefaultTimeout(15_000);
  page = await openTab(await context.newPage(), new URL(path, parley.url).href);
}

/** Starts a session in which these questions wait for a person. */
async function ask(title: string, questions: readonly string[], ...calls: readonly string[]): Promise<string> {
  const sessionId = await tab.createSession();
  created.push(sessionId);
  await tab.ask({ type: 'update_session', sessionId, title });
  await tab.follow(sessionId);
  const asked = questions.map((question) => `ask_user ${JSON.stringify({ question })}`);
  await tab.say(sessionId, [...asked, ...calls].map((call) => `/call ${call}`).join('\n'));
  const countOf = (wanted: string) => tab.events(sessionId).filter(({ type }) => type === wanted).length;
  await expect
    .poll(() => countOf('interaction_request') + countOf('tool_result'), { timeout: 30_000 })
    .toBe(questions.length + calls.length);
  return sessionId;
}

const heading = (name: string) => page.getByRole('heading', { name, exact: true });
const focused = (name: string) =>
  expect.poll(
    () =>
      heading(name)
        .evaluate((element) => element.matches(':focus'))
        .catch(() => false),
    { timeout: 15_000 },
  );

test('[WEB8] on a wide screen the start page shows my open prompts before anything else', async () => {
  await ask('Trip', ['First?', 'Second?']);
  await ask('Release', ['Third?', 'Fourth?']);
  await show(1180);
  const list = page.getByRole('region', { name: 'Needs you' }).filter({ has: page.getByText('Work through all 4') });
  await list.waitFor();
  expect(await list.getByRole('listitem').allInnerTexts()).toEqual([
    expect.stringMatching(/First\?\s+Trip/),
    expect.stringMatching(/Second\?\s+Trip/),
    expect.stringMatching(/Third\?\s+Release/),
  ]);
  expect(await page.getByText('Things to try').count()).toBe(0);
  await list.getByRole('link', { name: /^Third/ }).click();
  await focused('Third?').toBe(true);
  await page.goBack();
  await list.getByRole('link', { name: 'Work through all 4' }).click();
  await heading('Needs you 4').waitFor();
});

test('[WEB6] n leads to a prompt that is no longer rendered, also from its own address', async () => {
  const call = (callId: string, args: { files?: string[] }) =>
    tab.ask<{ sessionId: string }>({ type: 'call_tool', channel: 'long', callId, toolName: 'delete_files', args });
  const { sessionId } = await call('first', { files: ['a.txt'] });
  created.push(sessionId);
  await show(1180, `/s/${sessionId}`);
  await heading('Delete 1 file?').waitFor();
  for (let n = 0; n < 150; n += 1) await call(`failing ${n}`, {});
  for (const _ of ['once', 'again']) {
    await expect.poll(() => heading('Delete 1 file?').count()).toBe(0);
    await page.locator('body').press('n');
    await focused('Delete 1 file?').toBe(true);
    await page.evaluate(() => (document.activeElement as HTMLElement).blur()); // a row with the focus is not removed
    await page.getByRole('button', { name: 'Latest' }).click();
  }
});

test('[WEB8] on a phone j leads on, from a sheet and after one was closed', async () => {
  await ask('Trip', ['First?', 'Second?', 'Third?']);
  await show(390, '/inbox');
  await heading('First?').waitFor();
  await page.keyboard.press('j');
  await focused('First?').toBe(true);
  await page.keyboard.press('j');
  await focused('Second?').toBe(true);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press('j');
  await focused('Third?').toBe(true);
});

test('[WEB6] on a phone the palette cuts off none of its options', async () => {
  await ask('Trip', ['First?']);
  await show(390);
  await page.getByText('Trip', { exact: true }).first().waitFor();
  await page.keyboard.press('Control+k');
  const options = page.getByRole('listbox', { name: 'Sessions and actions' });
  await options.getByRole('option').first().waitFor();
  expect(await options.evaluate((list) => list.scrollHeight - list.clientHeight)).toBe(0);
});

test('[WEB8] in the inbox a long title is cut before the risk', async () => {
  const title = 'A session with a title that is far too long for one line of an inbox';
  await ask(title, ['First?'], 'delete_files {"files": ["a.txt"]}');
  await show(390, '/inbox');
  const risk = page.getByRole('button', { name: /^Delete 1 file/ }).getByText('High risk');
  await risk.waitFor();
  const [inner, outer] = await Promise.all([risk.boundingBox(), page.locator('li > .row').first().boundingBox()]);
  expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0));
});

test('[WEB6, AGT1] the start page lists things to try, and one click starts one', async () => {
  await show(1180);
  const examples = page.getByRole('group', { name: 'Things to try' }).getByRole('button');
  await expect.poll(() => examples.count()).toBe(3);
  await examples.filter({ hasText: '/call delete_files' }).click();
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await page.getByRole('button', { name: 'Deny' }).click();
});

test('[WEB6] in the list, “Needs you” looks like a link, and prompts with the same heading are distinguished', async () => {
  await ask('Trip', ['Which way?', 'Which way?']);
  await show(1180);
  const list = page.getByRole('complementary');
  const link = list.getByRole('link', { name: 'Needs you · 2' });
  await link.waitFor();
  const colourOf = (it: Element) => getComputedStyle(it).color;
  expect(await link.evaluate(colourOf)).not.toBe(await list.getByText('Which way?').first().evaluate(colourOf));
  expect(await link.evaluate(colourOf)).toBe(
    await page.getByRole('link', { name: 'Work through all 2' }).evaluate(colourOf),
  );
  await list.getByRole('link', { name: /1 of 2 · Which way\?$/ }).waitFor();
  await list.getByRole('link', { name: /2 of 2 · Which way\?$/ }).waitFor();
  const sizeOf = (it: Element) => getComputedStyle(it).fontSize;
  const recent = await list.getByRole('heading', { name: 'Needs you · 2' }).evaluate(sizeOf);
  expect(await list.getByRole('button', { name: 'Archived' }).evaluate(sizeOf)).toBe(recent);
});

test('[WEB6] n into another session announces its question once', async () => {
  await ask('Trip', ['Where to?']);
  const other = await tab.createSession();
  created.push(other);
  context = await browser.newContext({ viewport: { width: 1180, height: 844 } });
  page = await context.newPage();
  await hear(page);
  await openTab(page, new URL(`/s/${other}`, parley.url).href);
  await page.getByLabel('Message', { exact: true }).waitFor();
  await page.getByRole('complementary').getByText('Where to?').waitFor();
  await page.keyboard.press('Escape');
  await takeHeard(page);
  await page.keyboard.press('n');
  await focused('Where to?').toBe(true);
  expect((await takeHeard(page)).filter((words) => words.includes('Where to?'))).toEqual([]);
});

test('[WEB8, WEB6] on a phone home is the inbox, with the sessions below it and the message box in view', async () => {
  await ask('Trip', ['First?', 'Second?']);
  await ask('Release', ['Third?']);
  await show(390);
  const list = page.getByRole('complementary');
  await list.getByRole('heading', { name: 'Needs you 3', level: 2 }).waitFor();
  await heading('First?').waitFor(); // the first card is open in its row, and takes no focus
  expect(await heading('First?').evaluate((it) => it.matches(':focus'))).toBe(false);
  const rows = list.getByRole('navigation', { name: 'Recent' }).getByRole('link');
  expect(await rows.allInnerTexts()).toEqual(
    expect.arrayContaining([expect.stringMatching(/Trip\s+needs you/), expect.stringMatching(/Release\s+needs you/)]),
  );
  const box = await page.getByLabel('Message', { exact: true }).boundingBox();
  expect((box?.y ?? 844) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
  expect(await findViolations(page)).toEqual([]);

  const field = () => page.getByRole('textbox', { name: 'Answer' });
  for (const [here, next] of [
    ['First?', 'Second?'],
    ['Second?', 'Third?'],
  ] as const) {
    await heading(here).waitFor();
    await field().fill('Yes');
    await field().press('Control+Enter');
    await focused(next).toBe(true); // in a sheet of its own
    await page.getByRole('dialog', { name: next }).waitFor();
  }
  await field().fill('Yes');
  await field().press('Control+Enter');
  await list.getByText('Nothing needs you.').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.localName)).not.toBe('body');
  await rows.filter({ hasText: 'Trip' }).click();
  await page.waitForURL('**/s/*');
  await page.getByRole('link', { name: /^Sessions/ }).click();
  await expect.poll(() => rows.filter({ hasText: 'Trip' }).evaluate((it) => it.matches(':focus'))).toBe(true);
});

test('[WEB9, WEB3] while a phone’s keyboard is open, the answer has the space; a tap leaves no highlight', async () => {
  await ask('Trip', ['First?']);
  await show(390, '/', { hasTouch: true, isMobile: true });
  const field = page.getByRole('textbox', { name: 'Answer' });
  await field.tap();
  const box = page.getByLabel('Message', { exact: true });
  expect(await box.isVisible()).toBe(true);
  await page.setViewportSize({ width: 390, height: 470 });
  await box.waitFor({ state: 'hidden' });
  await field.evaluate((it) => it.blur());
  await box.waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('button', { name: 'Open in a dialog' }).tap();
  const close = page.getByRole('button', { name: 'Close', exact: true });
  await close.tap();
  const open = page.getByRole('button', { name: 'Open in a dialog' });
  await open.waitFor();
  expect(await open.evaluate((it) => getComputedStyle(it).backgroundColor)).toBe('rgba(0, 0, 0, 0)');
});

test('[WEB9, WEB3] while a phone’s keyboard is open in a session, the answer has the space of the message box', async () => {
  const sessionId = await ask('Trip', ['First?']);
  await show(390, `/s/${sessionId}`, { hasTouch: true, isMobile: true });
  const field = page.getByRole('textbox', { name: 'Answer' });
  const box = page.getByLabel('Message', { exact: true });
  await heading('First?').evaluate((it) => it.focus());
  await page.setViewportSize({ width: 390, height: 470 });
  await box.waitFor(); // nothing is typed yet
  await field.tap();
  await box.waitFor({ state: 'hidden' });
  const dock = await page.locator('parley-session-view .dock').boundingBox();
  expect(dock?.height).toBeLessThan(10); // no status of a box that is not there
  expect(await page.getByRole('button', { name: 'OK' }).isVisible()).toBe(true);
  await heading('First?').evaluate((it) => it.focus()); // still in the card: nothing may jump under the finger
  await expect.poll(() => heading('First?').evaluate((it) => it.matches(':focus'))).toBe(true);
  expect(await box.isVisible()).toBe(false);
  await field.tap();
  await field.fill('Yes');
  await box.waitFor({ state: 'hidden' });
  await tab.answer(sessionId, await tab.prompt(sessionId), { action: 'submit', input: { answer: 'No' } });
  await page.locator('parley-card .receipt summary:focus').waitFor(); // somebody else answered first
  await box.tap();
  await page.setViewportSize({ width: 844, height: 190 });
  await expect
    .poll(() => page.locator('parley-session-view .dock').evaluate((it) => it.scrollHeight - it.clientHeight))
    .toBeLessThanOrEqual(0);
});

test('[WEB5, WEB8] j and n work in the inbox on the start page, and opening a found session ends the search', async () => {
  await ask('Trip', ['First?', 'Second?']);
  await show(390);
  await heading('First?').waitFor();
  await page.keyboard.press('j');
  await focused('First?').toBe(true);
  await page.getByRole('textbox', { name: 'Answer' }).fill('half');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await page.keyboard.press('n');
  await focused('Second?').toBe(true);
  expect(new URL(page.url()).pathname).toBe('/');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('searchbox', { name: 'Find a session' }).fill('zzz');
  await page.getByText('No session is called that.').waitFor();
  await page.getByRole('searchbox', { name: 'Find a session' }).press('Escape');
  await page.getByRole('button', { name: /^First\?/ }).click();
  expect(await page.getByRole('textbox', { name: 'Answer' }).inputValue()).toBe('half');
});
