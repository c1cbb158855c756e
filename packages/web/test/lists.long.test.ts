import { text } from 'node:stream/consumers';
import type { Session } from '@parleyhq/core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let context: BrowserContext;
let page: Page;
let tab: Tab;

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--no-auth').start()]);
  tab = await Tab.open(`${parley.url.replace('http', 'ws').replace(/\/$/, '')}/ws`, { enabled: false });
});

beforeEach(async () => {
  // A service worker would fetch what the tests block.
  context = await browser.newContext({ viewport: { width: 1180, height: 820 }, serviceWorkers: 'block' });
  context.setDefaultTimeout(15_000);
  page = await openTab(await context.newPage(), parley.url);
});

afterEach(() => context.close());

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

const field = () => page.getByRole('searchbox', { name: 'Find a session' });
const listed = (title: string | RegExp) => page.getByRole('complementary').getByRole('link', { name: title });
const choose = async (name: string) => {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name, exact: true }).click();
};

async function create(title: string): Promise<Session> {
  return (await tab.ask<{ session: Session }>({ type: 'create_session', title })).session;
}

test('[RPL4] a page creates no formats for times that it does not show: the first costs more than all of its rows', async () => {
  await create('Just now');
  await page.addInitScript(() => {
    const formats: string[] = [];
    Object.assign(globalThis, { formats });
    Intl.DateTimeFormat = new Proxy(Intl.DateTimeFormat, {
      construct: (target, options) => {
        formats.push(JSON.stringify(options));
        return Reflect.construct(target, options);
      },
    });
  });
  await page.reload();
  await listed('Just now').waitFor();
  expect(await page.evaluate(() => Reflect.get(globalThis, 'formats'))).toEqual([]);
});

test('[WEB8] a session that is not loaded is found by its title, and an empty result is reported', async () => {
  const old = await create('Invoices of Zürich');
  for (let n = 0; n < 101; n += 1) await create(`Newer ${n}`);
  await page.reload();
  await listed('Newer 100').waitFor();
  expect(await listed('Invoices').count()).toBe(0);
  await field().fill('zürich');
  await listed('Invoices of Zürich').waitFor();
  expect(await listed(/Newer/).count()).toBe(0);
  await field().press('Enter');
  await page.waitForURL(`**/s/${old.id}`);
  await field().fill('no such thing');
  await page.getByText('No session is called that.').waitFor();
  await field().press('Escape');
  await listed('Newer 100').waitFor();
  expect(await field().inputValue()).toBe('');
});

test('[WEB8] loaded sessions are searched while the server is asked, and a late reply is ignored', async () => {
  await create('Slow one');
  let holds: (() => void)[] = [];
  await page.routeWebSocket(/\/ws$/, (line) => {
    const server = line.connectToServer();
    server.onMessage((text) => line.send(text));
    line.onMessage((text) => {
      const { query } = JSON.parse(String(text)) as { query?: string };
      if (query === 'slow') holds.push(() => server.send(text));
      else server.send(text);
    });
  });
  await page.reload();
  await listed('Slow one').waitFor();
  await field().fill('slow');
  await expect.poll(() => holds.length).toBe(2);
  expect(await listed('Slow one').count()).toBe(1);
  await field().fill('nothing is called this');
  await page.getByText('No session is called that.').waitFor();
  for (const go of holds.splice(0)) go();
  holds = [];
  await field().fill('slow on');
  await listed('Slow one').waitFor();
});

const palette = () => page.getByRole('combobox', { name: 'Find a session or an action' });
const option = (name: string | RegExp) => page.getByRole('option', { name });

test('[WEB5, WEB8] one field leads by keyboard to every session and command of the page', async () => {
  const away = await create('Palette, put away');
  await tab.ask({ type: 'update_session', sessionId: away.id, archived: true });
  const { id } = await create('Palette, in use');
  await page.goto(`${new URL(parley.url).origin}/s/${id}`);
  const composer = page.getByLabel('Message', { exact: true });
  await composer.fill('half a sentence');
  await page.keyboard.press('Control+k');
  await palette().fill('palette');
  await page.getByRole('group', { name: 'Archived' }).getByRole('option').waitFor();
  expect(await option(/Palette, in use/).getAttribute('aria-selected')).toBe('true');
  expect(await palette().getAttribute('aria-activedescendant')).toBe(`session-${id}`);
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await palette().waitFor({ state: 'detached' });
  expect(await composer.evaluate((field) => field.matches(':focus'))).toBe(true);
  expect(await composer.inputValue()).toBe('half a sentence');

  await page.keyboard.press('Control+k');
  await palette().fill('palette');
  await option(/Palette, put away/).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/s/${away.id}`);
  await page.keyboard.press('Control+k');
  await palette().fill('bring back');
  await option('Bring this session back').waitFor();
  await page.keyboard.press('Enter');
  await listed('Palette, put away').waitFor();

  for (const [words, heading] of [
    ['shortcuts', 'Keyboard shortcuts'],
    ['permissions', 'What runs without asking'],
    ['devices', 'Devices'],
  ] as const) {
    await page.keyboard.press('Control+k');
    await palette().fill(words);
    await option(new RegExp(words, 'i')).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('heading', { name: heading }).waitFor();
    await page.keyboard.press('Escape');
  }
  await page.keyboard.press('Control+k');
  await palette().fill('dark theme');
  await option('Dark theme').click();
  await page.locator('html[data-theme="dark"]').waitFor();
  await page.keyboard.press('Control+k');
  await palette().fill('system theme');
  await option('System theme').click();
  await page.locator('html:not([data-theme])').waitFor();
  await page.keyboard.press('Control+k');
  await palette().fill('nobody calls anything this');
  await page.getByText('Nothing is called that.').waitFor();
});

test('[WEB8] an open prompt is found by what it asks, in the palette before all sessions and in the list', async () => {
  const { id } = await create('Spring cleaning');
  await tab.follow(id);
  await tab.say(id, '/call ask_user {"question": "Delete 120 files?"}');
  await tab.event(id, 'interaction_request');
  await field().fill('120 fil');
  await listed(/Spring cleaning/).waitFor();
  await page.keyboard.press('Control+k');
  expect(await page.getByRole('option').first().innerText()).toContain('Delete 120 files?');
  await palette().fill('dele');
  await option(/^Delete 120 files\?/).click();
  await page.waitForURL(`**/s/${id}/*`);
  await page.getByRole('heading', { name: 'Delete 120 files?' }).waitFor();
});

test('[WEB8] the list brings the row of the chosen session into view, and again when a prompt moves it', async () => {
  await page.setViewportSize({ width: 1180, height: 400 });
  for (let n = 0; n < 14; n += 1) {
    const { id } = await create(`Waiting ${n}`);
    await tab.follow(id);
    await tab.say(id, '/call ask_user {"question": "Well?"}');
    await tab.event(id, 'interaction_request');
  }
  const { id } = await create('The newest');
  await listed('The newest').click();
  await tab.follow(id);
  await tab.say(id, '/call ask_user {"question": "Seen?"}');
  await page.getByRole('heading', { name: 'Seen?' }).waitFor();
  const row = page.getByRole('complementary').locator('a[aria-current="page"]');
  await row.getByText('Seen?').waitFor();
  await expect
    .poll(async () => {
      const { y = 0, height = 0 } = (await row.boundingBox()) ?? {};
      return y >= 0 && y + height <= 400;
    })
    .toBe(true);
});

test.each([
  ['JSONL', 'jsonl', 'jsonl'],
  ['Markdown', 'markdown', 'md'],
  ['HTML', 'html', 'html'],
])('[RPL5] a session is saved as %s from its menu as `parley export` writes it', async (name, format, extension) => {
  const { id } = await create(`Save as ${name}: a/b`);
  await tab.follow(id);
  await tab.say(id, '<b>Grüße</b> 👋');
  await tab.event(id, 'turn_end');
  await page.goto(`${new URL(parley.url).origin}/s/${id}`);
  await listed(`Save as ${name}`).waitFor();
  const [download] = await Promise.all([page.waitForEvent('download'), choose(`Save as ${name}`)]);
  expect(download.suggestedFilename()).toBe(`Save-as-${name}-a-b.${extension}`);
  const saved = await text(await download.createReadStream());
  const withoutTime = (text: string) => text.replaceAll(/xported at (<time[^>]*>)?[^<\n]*/g, 'xported');
  expect(saved).toContain('Grüße');
  expect(withoutTime(saved)).toBe(withoutTime(await parley.export(id, format)));
});

test('[WEB8] a session is archived from its menu, found in the archive, brought back, and pinned above the others', async () => {
  const { id } = await create('Put this away');
  await page.goto(`${new URL(parley.url).origin}/s/${id}`);
  await listed('Put this away').waitFor();
  await choose('Archive');
  await listed('Put this away').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Archived', exact: true }).click();
  await page.getByRole('navigation', { name: 'Archived' }).getByRole('link', { name: 'Put this away' }).waitFor();
  await page.getByRole('button', { name: 'Hide archived' }).click();
  await field().fill('put THIS');
  await page.getByRole('navigation', { name: 'Archived' }).getByRole('link', { name: 'Put this away' }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await field().press('Escape');
  await choose('Bring back');
  await listed('Put this away').waitFor();
  await choose('Pin');
  await page.getByRole('navigation', { name: 'Pinned' }).getByRole('link', { name: 'Put this away' }).waitFor();
  await choose('Unpin');
  await page.getByRole('navigation', { name: 'Pinned' }).waitFor({ state: 'detached' });
});

test('[WEB8] a session that is pinned and archived is in the archive, and leaves it when it is deleted', async () => {
  const { id } = await create('Pinned and put away');
  await tab.ask({ type: 'update_session', sessionId: id, pinned: true });
  await tab.ask({ type: 'update_session', sessionId: id, archived: true });
  await page.getByRole('button', { name: 'Archived', exact: true }).click();
  const row = page.getByRole('navigation', { name: 'Archived' }).getByRole('link', { name: 'Pinned and put away' });
  await row.waitFor();
  await field().fill('pinned and PUT');
  await page.getByText('Searching …').waitFor({ state: 'detached' });
  await row.waitFor();
  await tab.ask({ type: 'delete_session', sessionId: id });
  await row.waitFor({ state: 'detached' });
  await field().press('Escape');
  await page.getByRole('button', { name: 'Hide archived' }).waitFor();
  expect(await page.getByRole('link', { name: 'Pinned and put away' }).count()).toBe(0);
});

test('[WEB8] a session that is deleted while a search for it is on its way is not found', async () => {
  const { id } = await create('Soon gone');
  await tab.ask({ type: 'update_session', sessionId: id, archived: true });
  const held: (() => void)[] = [];
  await page.routeWebSocket(/\/ws$/, (line) => {
    const server = line.connectToServer();
    server.onMessage((text) => {
      if (/"type":"reply".*Soon gone/.test(String(text))) held.push(() => line.send(text));
      else line.send(text);
    });
  });
  await openTab(page, parley.url);
  await field().fill('soon');
  await expect.poll(() => held.length, { timeout: 30_000 }).toBe(1);
  await tab.ask({ type: 'delete_session', sessionId: id });
  await listed('Soon gone').waitFor({ state: 'detached' });
  held[0]?.();
  await page.getByText('No session is called that.').waitFor();
});

test('[WEB8] all archived sessions can be seen, a hundred at a time, including those archived meanwhile', async () => {
  for (let n = 0; n < 101; n += 1) {
    const { id } = await create(`Put away ${n}`);
    await tab.ask({ type: 'update_session', sessionId: id, archived: true });
  }
  const fresh = await create('Soon put away');
  await page.reload();
  await page.getByRole('button', { name: 'Archived', exact: true }).click();
  const away = page.getByRole('navigation', { name: 'Archived' });
  await away.getByRole('link', { name: 'Put away 100', exact: false }).waitFor();
  expect(await away.getByRole('link', { name: 'Put away 0', exact: false }).count()).toBe(0);
  await page.locator('parley-sessions[heading="Archived"]').getByRole('button', { name: 'Older sessions' }).click();
  await away.getByRole('link', { name: /^Put away 0\b/ }).waitFor();
  await tab.ask({ type: 'update_session', sessionId: fresh.id, archived: true });
  await away.getByRole('link', { name: 'Soon put away' }).waitFor();
});

test('[FRM6] a message that takes long to send stays visible', async () => {
  const { id } = await create('Far away');
  const holds: (() => void)[] = [];
  await page.routeWebSocket(/\/ws$/, (line) => {
    const server = line.connectToServer();
    line.onMessage((text) => {
      if (String(text).includes('Slowly now')) holds.push(() => server.send(text));
      else server.send(text);
    });
  });
  await openTab(page, new URL(`/s/${id}`, parley.url).href);
  await page.getByLabel('Message', { exact: true }).fill('Slowly now');
  await page.keyboard.press('Enter');
  const waiting = page.getByRole('status').filter({ hasText: 'Sending …' });
  await waiting.getByText('Slowly now').waitFor();
  for (const send of holds) send();
  await page.locator('.bubble').getByText('Slowly now').waitFor();
  await waiting.waitFor({ state: 'detached' });
});

test('[WEB4] the page reports a part that cannot be loaded', async () => {
  await page.route(/assets\/(palette|inbox-page)-.*\.js$/, (route) => route.abort());
  const notice = page.getByText('A part of the page could not be loaded.');
  await listed(/./).first().waitFor();
  await page.keyboard.press('Control+k');
  await notice.waitFor();
  await page.goto(new URL('/inbox', parley.url).href);
  await notice.waitFor();
});

test('[RPL5, SEC11] an export that fails is reported, and closes its session', async () => {
  const { id } = await create('Sent off');
  await tab.ask({ type: 'update_session', sessionId: id, title: 'Lost on the way' }); // adds something to read
  const open = new Set<string>();
  await page.routeWebSocket(/\/ws$/, (line) => {
    const server = line.connectToServer();
    line.onMessage((text) => {
      const { type, sessionId, requestId } = JSON.parse(String(text));
      if (type === 'subscribe') open.add(sessionId);
      if (type === 'unsubscribe') open.delete(sessionId);
      const error = { code: 'storage_full', message: 'The disk is gone.' };
      if (type === 'read_events') line.send(JSON.stringify({ type: 'reply', requestId, ok: false, error }));
      else server.send(text);
    });
  });
  await openTab(page, new URL(`/s/${id}`, parley.url).href);
  await choose('Save as Markdown');
  await page.getByText(/The disk is (gone|full)/).waitFor();
  expect(open.has(id)).toBe(true);
  await page.getByRole('button', { name: 'New session' }).click();
  await expect.poll(() => open.has(id)).toBe(false);
});

test('[WEB5] single-letter shortcuts can be turned off; those with a modifier still work', async () => {
  const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  const single = help.getByRole('checkbox', { name: 'Single-key shortcuts' });
  const { id } = await create('Without letters');
  await page.goto(`${new URL(parley.url).origin}/s/${id}`);
  await page.getByLabel('Message', { exact: true }).press('Escape');
  await page.keyboard.press('?');
  await single.uncheck();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });
  await page.keyboard.press('?');
  await page.keyboard.press('Control+k');
  await palette().fill('keyboard');
  expect(await help.isVisible()).toBe(false);
  await option(/Keyboard shortcuts/).click();
  await single.check();
  await page.keyboard.press('Escape');
  await help.waitFor({ state: 'hidden' });
  await page.keyboard.press('?');
  await help.waitFor();
});
