import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab, openWindow } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let tab: Tab;
let context: BrowserContext;
let page: Page;
let created: string[] = [];

beforeAll(async () => {
  const server = new Parley('--no-auth', '--plugin', 'packages/web/test/plugins/publish.mjs');
  [browser, parley] = await Promise.all([launchBrowser(), server.start()]);
  tab = await Tab.open(new URL('/ws', parley.url.replace('http', 'ws')).href);
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1180, height: 820 } });
  context.setDefaultTimeout(15_000);
  page = await context.newPage();
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

/** Starts a session in which these calls wait for a person. */
async function ask(title: string, ...calls: string[]): Promise<string> {
  const sessionId = await tab.createSession();
  created.push(sessionId);
  await tab.ask({ type: 'update_session', sessionId, title });
  await tab.follow(sessionId);
  await tab.say(sessionId, calls.map((call) => `/call ${call}`).join('\n'));
  for (const [n] of calls.entries()) {
    await expect
      .poll(() => tab.events(sessionId).filter(({ type }) => type === 'interaction_request').length)
      .toBeGreaterThan(n);
  }
  return sessionId;
}

const question = (words: string) => `ask_user ${JSON.stringify({ question: words })}`;
const publish = (name: string) => `publish ${JSON.stringify({ name })}`;
const openInbox = () => openTab(page, new URL('/inbox', parley.url).href);
const inbox = () => page.locator('parley-inbox-page');
const row = (name: string | RegExp) => inbox().getByRole('button', { name });
const focusedCard = (words: string) => page.locator('parley-inbox-card:focus-within').filter({ hasText: words });

test('[WEB5] accessible names separate words and leave out the hint of a key', async () => {
  await ask('Trip', question('First?'));
  await openInbox();
  await inbox().getByRole('heading', { name: 'Needs you 1' }).waitFor();
  const session = await page.context().newCDPSession(page);
  const { root } = await session.send('DOM.getDocument');
  const readNames = async (role: string) => {
    const { nodes } = await session.send('Accessibility.queryAXTree', { nodeId: root.nodeId, role });
    return nodes.map(({ name }) => name?.value);
  };
  expect(await readNames('heading')).toContain('Needs you 1');
  expect(await readNames('button')).toContain('1 waiting');
  await session.detach();
});

test('[WEB8] my prompts are answered in place, oldest first, and the next card takes the focus', async () => {
  const first = await ask('Trip', question('First?'));
  await ask('Release', question('Second?'), publish('one'));
  await openInbox();
  await inbox().getByRole('heading', { name: 'Needs you 3' }).waitFor();
  const card = inbox().locator('parley-inbox-card');
  await card.getByRole('heading', { name: 'First?' }).waitFor();
  expect(await row(/\?/).allInnerTexts()).toEqual([
    expect.stringContaining('First?'),
    expect.stringContaining('Second?'),
    expect.stringContaining('Publish one?'),
  ]);
  const [list, open] = await Promise.all([row(/Second\?/).boundingBox(), card.boundingBox()]);
  expect(open?.x).toBeGreaterThan((list?.x ?? 0) + (list?.width ?? 0)); // next to the list
  expect(await row(/First\?/).getAttribute('aria-current')).toBe('true');
  expect(await focusedCard('First?').count()).toBe(0); // nothing steals the focus
  expect(await findViolations(page)).toEqual([]);

  await card.getByRole('textbox').fill('Bern');
  await card.getByRole('textbox').press('Control+Enter');
  await focusedCard('Second?').waitFor();
  await inbox().getByText('Answered: First?').waitFor();
  const { payload } = await tab.event(first, 'interaction_response');
  expect(payload).toMatchObject({ action: 'submit', input: { answer: 'Bern' } });

  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await focusedCard('Publish one?').waitFor();
  await page.keyboard.press('k');
  await focusedCard('Second?').waitFor();
  await page.keyboard.press('n');
  await focusedCard('Publish one?').waitFor();
});

test('[WEB8, INT8] what is asked again stays in the inbox', async () => {
  await ask('Mail', 'collect_email {}');
  await openInbox();
  await inbox().getByRole('textbox').fill('not-an-email');
  await page.keyboard.press('Enter');
  await inbox().getByText('Invalid email address').first().waitFor();
  await inbox().getByRole('heading', { name: 'Needs you 1' }).waitFor();
});

test('[WEB5, WEB8] a choice that could still be undone is sent when its card is left', async () => {
  const chosen = await ask('Trip', 'ask_user {"question": "Which way?", "options": ["left", "right"]}');
  await ask('Release', question('Then?'));
  await openInbox();
  await inbox().getByRole('heading', { name: 'Which way?' }).waitFor();
  await page.keyboard.press('j'); // moves into the list
  await page.keyboard.press('2');
  await inbox().getByText('Take it back').waitFor();
  await page.keyboard.press('j');
  const { payload } = await tab.event(chosen, 'interaction_response');
  expect(payload).toMatchObject({ action: 'submit', input: { answer: 'right' } });
});

test('[WEB8] an answer from elsewhere removes the card and says so, and the last one leaves an empty inbox', async () => {
  const sessionId = await ask('Trip', question('Only?'));
  await openInbox();
  await inbox().getByRole('heading', { name: 'Only?' }).waitFor();
  await tab.answer(sessionId, await tab.prompt(sessionId), { action: 'submit', input: { answer: 'Yes' } });
  await inbox().getByText('No longer open: Only?').waitFor();
  await inbox().getByText('Nothing needs you.').waitFor();
});

test('[WEB8] postponing a prompt does not answer it, hides it on this device only, and it returns by itself', async () => {
  await page.clock.install();
  const sessionId = await ask('Trip', question('Later?'));
  await ask('Release', question('Now?'));
  await openInbox();
  const later = inbox().getByRole('heading', { name: 'Later?' });
  await later.waitFor();
  await inbox().getByRole('group', { name: 'Not now' }).getByRole('button', { name: '1 hour' }).click();
  await inbox().getByRole('heading', { name: 'Now?' }).waitFor();
  expect(await later.count()).toBe(0);
  await page.reload();
  await inbox().getByRole('region', { name: 'Not now' }).getByText('Later?').waitFor();
  expect(tab.events(sessionId).filter(({ type }) => /_(response|closed)$/.test(type))).toEqual([]);
  const other = await openTab(await (await browser.newContext()).newPage(), new URL('/inbox', parley.url).href);
  await other.getByRole('heading', { name: 'Later?' }).waitFor();
  await other.context().close();
  await page.clock.fastForward('01:00:00');
  await row(/Later\?/).waitFor();
});

test('[WEB6, WEB8] what is put off is counted nowhere: list, bar, title and icon agree, and n passes it over', async () => {
  await ask('Trip', question('Later?'));
  await ask('Release', question('Now?'));
  await openInbox();
  await inbox().getByRole('heading', { name: 'Later?' }).waitFor();
  await inbox().getByRole('group', { name: 'Not now' }).getByRole('button', { name: '1 hour' }).click();
  await inbox().getByRole('heading', { name: 'Needs you 1' }).waitFor();
  await page.getByRole('complementary').getByRole('link', { name: 'Release needs you' }).waitFor();
  await page.getByRole('button', { name: '1 waiting' }).waitFor();
  await page.getByRole('complementary').getByRole('link', { name: 'Trip waiting' }).waitFor();
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  expect(await page.title()).toMatch(/^\(1\) /);
  await page.goto(parley.url);
  await page.getByRole('complementary').getByRole('link', { name: 'Needs you · 1' }).waitFor();
  await page.getByRole('button', { name: '1 waiting' }).waitFor();
  await page.locator('body').press('Escape');
  await page.keyboard.press('Escape'); // leaves the message box
  await page.keyboard.press('n');
  await page.getByRole('heading', { name: 'Now?' }).waitFor();
  await page.keyboard.press('n');
  expect(await page.getByRole('heading', { name: 'Later?' }).count()).toBe(0);
});

test('[WEB8] lists say since when a prompt waits, whatever has happened in its session since then', async () => {
  await ask('Trip', question('First?'), question('Second?'));
  const asked = new Date(Date.now() - 28 * 60_000).toISOString();
  await page.routeWebSocket(/\/ws/, (socket) => {
    const server = socket.connectToServer();
    const change = (text: string) =>
      text
        .replace(/"askedAt":"[^"]+"/g, `"askedAt":"${asked}"`)
        .replace(/"expiresAt":"[^"]+"/g, '"expiresAt":"2099-01-01T00:00:00.000Z"');
    server.onMessage((message) => socket.send(change(String(message))));
  });
  await openTab(page, parley.url);
  await page
    .getByRole('complementary')
    .getByRole('link', { name: /Trip 28m/ })
    .waitFor();
});

test('[WEB8, WEB7, APR5] approvals of several sessions are reviewed in one list, and the rest can be filtered', async () => {
  const [one, two] = [await ask('Site', publish('one')), await ask('Shop', publish('two'))];
  await ask('Trip', question('Where?'));
  await openInbox();
  await inbox().getByRole('heading', { name: 'Needs you 3' }).waitFor();
  expect(await inbox().getByRole('combobox').count()).toBe(0); // a short list needs no filter
  await ask('Tour', ...Array.from({ length: 7 }, (_, n) => question(`Stop ${n}?`)));
  await inbox().getByRole('combobox', { name: 'Session' }).selectOption({ label: 'Tour' });
  await inbox().getByRole('heading', { name: 'Needs you 7' }).waitFor();
  await inbox().getByRole('combobox', { name: 'Session' }).selectOption({ label: 'Shop' });
  await inbox().getByRole('heading', { name: 'Publish two?' }).waitFor();
  await inbox().getByRole('combobox', { name: 'Session' }).selectOption('');

  await inbox().getByRole('button', { name: 'Review together' }).click();
  const all = page.getByRole('button', { name: 'Allow 2 once' });
  await expect.poll(() => all.isEnabled()).toBe(true);
  await all.press('Enter');
  for (const id of [one, two]) expect((await tab.event(id, 'interaction_response')).payload.action).toBe('approve');
  await inbox().getByRole('heading', { name: 'Needs you 8' }).waitFor();
});

test('[WEB8, WEB6] the list leads to the inbox, and the inbox to the session and back', async () => {
  const sessionId = await ask('Trip', question('Here?'));
  await openTab(page, parley.url);
  await page.getByRole('complementary').getByRole('link', { name: 'Needs you · 1' }).click();
  await page.waitForURL('**/inbox');
  await inbox().getByRole('link', { name: 'Trip' }).click();
  await page.waitForURL(new RegExp(`/s/${sessionId}/`));
  await page.goBack();
  await inbox().getByRole('heading', { name: 'Here?' }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await findViolations(page)).toEqual([]);
});

test('[WEB8, RPL3] the inbox reports a decision as it was made', async () => {
  await ask('Release', publish('one'));
  await openInbox();
  await inbox().locator('parley-inbox-card').getByRole('button', { name: 'Deny', exact: true }).click();
  await inbox().getByText('Denied: Publish one?').waitFor();
  await inbox().getByRole('link', { name: 'Show' }).click();
  await page.waitForURL(/\/s\//);
  await page.locator('details.receipt').getByText('Publish one?').waitFor();
});

test('[WEB8] a prompt postponed in one tab stays postponed in another tab of the device', async () => {
  await ask('Trip', question('First?'));
  await ask('Release', question('Second?'));
  await openInbox();
  const other = await openTab(await openWindow(context), page.url());
  const putOff = (tab: Page) =>
    tab.getByRole('group', { name: 'Not now' }).getByRole('button', { name: '1 hour' }).click();
  await other.getByRole('heading', { name: 'Needs you 2' }).waitFor();
  await putOff(page);
  await inbox().getByRole('heading', { name: 'Needs you 1' }).waitFor();
  await other.getByRole('heading', { name: 'Second?' }).waitFor(); // the other tab was notified
  await putOff(other);
  await other.reload();
  for (const tab of [page, other]) await tab.getByText('Nothing else needs you now.').waitFor();
});

test('[WEB8, SEC11] a session that was opened for a joint answer is closed afterwards', async () => {
  const opened = new Map<string, number>();
  page.on('websocket', (line) =>
    line.on('framesent', ({ payload }) => {
      const { type, sessionId } = JSON.parse(String(payload)) as { type: string; sessionId?: string };
      const step = { subscribe: 1, unsubscribe: -1 }[type];
      if (sessionId && step) opened.set(sessionId, (opened.get(sessionId) ?? 0) + step);
    }),
  );
  const sessions = [await ask('Site', publish('one')), await ask('Shop', publish('two'))];
  await openInbox();
  await inbox().getByRole('button', { name: 'Review together' }).click();
  await page.getByRole('button', { name: 'Deny 2' }).click();
  await inbox().getByText('Nothing needs you.').waitFor();
  await expect.poll(() => sessions.map((id) => opened.get(id))).toEqual([0, 0]);
});

test('[WEB8] nothing moves under a press while a card is loaded: what is below it appears together with it', async () => {
  await ask('Trip', question('First?'));
  const held: (() => void)[] = [];
  let isHolding = true;
  await page.routeWebSocket(/\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      const pass = () => socket.send(message);
      if (isHolding && /"type":"(snapshot|chat_events)"/.test(String(message))) held.push(pass);
      else pass();
    });
  });
  await openInbox();
  await inbox().getByRole('heading', { name: 'Needs you 1' }).waitFor();
  await expect.poll(() => held.length).toBeGreaterThan(0);
  const link = inbox().getByRole('link', { name: 'Trip' });
  expect(await link.isVisible()).toBe(false);
  isHolding = false;
  for (const pass of held) pass();
  await inbox().getByRole('heading', { name: 'First?' }).waitFor();
  await link.waitFor();
});
