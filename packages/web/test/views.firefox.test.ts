import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Frame, Page } from 'puppeteer-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { fill, launchFirefox, press, text } from './firefox.ts';
import { Parley } from './parley.ts';
import { listen } from './view-stage.ts';

const parley = new Parley('--no-auth', '--plugin', fileURLToPath(new URL('plugins/views.mjs', import.meta.url)));
let browser: Browser;
let context: BrowserContext;
let page: Page;
let tab: Tab;
let session: string;

beforeAll(async () => {
  [browser] = await Promise.all([launchFirefox(), parley.start()]);
});

beforeEach(async () => {
  context = await browser.createBrowserContext();
  tab = await Tab.open(`ws://${new URL(parley.url).host}/ws`);
  session = await tab.createSession();
  await tab.follow(session);
});

afterEach(() => Promise.all([context.close(), tab.close()]));

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

/** Opens a page with a card that has a view of the tests' plugin. */
async function show(view: string, data: unknown = { word: 'blue' }): Promise<void> {
  await tab.say(session, `/call show ${JSON.stringify({ view, data })}`);
  await tab.prompt(session);
  page = await context.newPage();
  await page.bringToFront();
  await page.goto(`${parley.url}s/${session}`);
}

const answer = async () => (await tab.event(session, 'interaction_response')).payload;

const isAnswered = () => tab.events(session).some(({ type }) => type === 'interaction_response');

/** Returns the frame of the view, once the view shows its data. */
async function frameOf(words: RegExp): Promise<Frame> {
  const read = () => page.frames()[1]?.evaluate(() => document.body.textContent);
  await expect.poll(read, { timeout: 20_000 }).toMatch(words);
  return page.frames()[1] as Frame;
}

test('[PLG10] a view proposes values, and a person submits them', async () => {
  await show('good');
  const take = await (await frameOf(/blue:/)).$('button');
  await take?.click();
  await frameOf(/blue: blue/);
  expect(isAnswered()).toBe(false);
  await press(page, 'OK');
  expect(await answer()).toMatchObject({ action: 'submit', input: { word: 'blue' } });
});

test('[PLG10] a view has no network', async () => {
  const [{ url, heard }, after] = [await listen(), await listen()];
  await show('network', url);
  await text(page, 'tried');
  const opened = page.goto(after.url).catch(() => undefined); // nobody answers it
  await expect.poll(() => after.heard).not.toEqual([]); // requests that the view had begun would have arrived before
  expect(heard).toEqual([]);
  await page.close();
  await opened;
});

test('[PLG10] a view sees nothing of the page, of other pages and of the browser’s storage', async () => {
  await show('parent');
  await text(page, 'got 0');
});

test('[PLG10] a view cannot navigate the tab', async () => {
  const { url, heard } = await listen();
  await show('top', url);
  await text(page, 'tried');
  expect(page.url()).toBe(`${parley.url}s/${session}`);
  expect(await context.pages()).toHaveLength(1);
  expect(heard).toEqual([]);
});

test.each(['gone', 'flood', 'huge', 'endless'])(
  '[PLG10] if a view goes elsewhere or sends too much, the plain form replaces it: %s',
  async (view) => {
    const { url, heard } = await listen();
    await show(view, url);
    await text(page, 'The view of “views” is not shown');
    await fill(page, 'Word', 'mine');
    await press(page, 'OK');
    expect(await answer()).toMatchObject({ action: 'submit', input: { word: 'mine' } });
    expect(heard).toEqual([]);
  },
);

test('[PLG10] a view that may not navigate stays, and sends nothing out', async () => {
  const { url, heard } = await listen();
  await show('away', url);
  await press(page, 'Use the plain form');
  await fill(page, 'Word', 'mine');
  await press(page, 'OK');
  expect(await answer()).toMatchObject({ action: 'submit', input: { word: 'mine' } });
  expect(heard).toEqual([]);
});

test('[PLG10] messages of a view other than proposals have no effect, whatever they look like', async () => {
  await show('spoof');
  await text(page, 'said all');
  expect(isAnswered()).toBe(false);
});
