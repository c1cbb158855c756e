import { text as readText } from 'node:stream/consumers';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab, openWindow } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--no-auth').start()]);
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1180, height: 820 } });
  context.setDefaultTimeout(15_000);
  page = await openTab(await context.newPage(), parley.url);
});

afterEach(() => context.close());

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

const composer = (tab = page) => tab.getByLabel('Message', { exact: true });
const more = () => page.getByRole('button', { name: 'More', exact: true });
const toggle = () => page.getByRole('switch', { name: 'Answer in this tab' });

async function say(text: string, tab = page): Promise<void> {
  await composer(tab).fill(text);
  await composer(tab).press('Enter');
  await tab.waitForURL(/\/s\//);
}

test('[INT15] a tab with interaction off still says so after a reload, and one click turns it on', async () => {
  await say('/call collect_email');
  await more().click();
  await toggle().click();
  await page.getByText('This tab does not answer.').waitFor();
  await page.reload();
  await page.getByText('Interactive mode disabled — enable to respond').waitFor();
  await more().click();
  expect(await toggle().getAttribute('aria-checked')).toBe('false');
  await page.keyboard.press('Escape');
  expect(await page.getByRole('button', { name: 'OK' }).isDisabled()).toBe(true);
  const words = page.getByRole('status').filter({ hasText: 'This tab does not answer' });
  expect(await words.getByRole('button').count()).toBe(0); // the button is not announced together with the text
  await page.getByRole('button', { name: 'Answer in this tab' }).click();
  await expect.poll(() => page.getByRole('button', { name: 'OK' }).isEnabled()).toBe(true);
  await more().click();
  expect(await toggle().getAttribute('aria-checked')).toBe('true');
});

test('[WEB3] a command of the bar that failed is reported with the reason', async () => {
  await page.routeWebSocket(/\/ws$/, (line) => {
    const server = line.connectToServer();
    server.onMessage((text) => line.send(text));
    line.onMessage((text) => {
      const { type, requestId } = JSON.parse(String(text));
      const error = { code: 'storage_full', message: 'The disk is full.' };
      if (type === 'update_session') line.send(JSON.stringify({ type: 'reply', requestId, ok: false, error }));
      else server.send(text);
    });
  });
  await page.reload();
  await say('Hello');
  await page.locator('h1 button').click();
  await page.locator('h1 input').fill('Other');
  await page.locator('h1 input').press('Enter');
  const alert = page.getByRole('alert').filter({ hasText: 'The disk is full.' });
  await alert.waitFor();
  await page.getByRole('button', { name: 'Close this message' }).click();
  await alert.waitFor({ state: 'detached' });
});

test.each(['light', 'dark'] as const)(
  '[WEB5] on a phone there is the list, then a session with its title and a menu with named actions: %s',
  async (colorScheme) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // colours change at once
    await page.setViewportSize({ width: 390, height: 664 });
    await say('/call collect_email');
    const back = page.getByRole('link', { name: /^Sessions, \d waiting$/ });
    await back.waitFor();
    const [, path = ''] = /^(\/s\/[^/]+)/.exec(new URL(page.url()).pathname) ?? [];
    await back.click();
    const recent = page.getByRole('navigation', { name: 'Recent' });
    const row = recent.getByRole('link', { name: /needs you$/ }).and(page.locator(`[href^="${path}"]`)); // maybe not the first
    await row.waitFor().catch(async (cause: unknown) => {
      throw new Error(`${path} is not listed as one that needs you:\n${await recent.ariaSnapshot()}`, { cause });
    });
    await expect.poll(() => row.evaluate((it) => it.matches(':focus')), { timeout: 15_000 }).toBe(true);
    await composer().waitFor();
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/phone-home-${colorScheme}.png` });
    await row.press('Enter');
    await expect.poll(() => back.evaluate((it) => it.matches(':focus'))).toBe(true);
    await page.keyboard.press('n');
    await expect
      .poll(() => page.locator('parley-card').evaluate((it) => it.matches(':focus-within')), { timeout: 15_000 })
      .toBe(true);
    const sheet = page.getByRole('dialog', { name: /mail/ });
    await sheet.waitFor(); // a link to a prompt moves the focus into it
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    const title = await page.locator('parley-top-bar h1').boundingBox();
    expect(title?.width).toBeGreaterThan(140);
    expect(await page.getByRole('button', { name: 'Delete' }).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    const menu = page.locator('parley-top-bar .menu');
    for (const words of ['Answer in this tab', 'Permissions: Ask first', 'Rename', 'Save as HTML', 'Delete'])
      await menu.getByText(words).waitFor();
    expect(await findViolations(page)).toEqual([]);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/phone-${colorScheme}.png` });
    await menu.getByRole('switch').click();
    await expect.poll(() => menu.getByRole('switch').getAttribute('aria-checked')).toBe('false');
    await menu.getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Title of the session' }).waitFor();
    expect(await menu.isVisible()).toBe(false);
  },
);

test('[WEB9, WEB5] the page shows the target of a text before it is sent, and announces a question once', async () => {
  await page.addInitScript(() => {
    const spoken: string[] = [];
    Object.assign(window, { spoken });
    Object.assign(Document.prototype, { ariaNotify: (words: string) => spoken.push(words) });
  });
  await page.reload();
  await say('/call collect_email');
  await page.getByText('Answers: ').waitFor();
  expect(await page.locator('parley-session-view .dock > .status').innerText()).toBe(''); // the box and the card say it
  await page.getByRole('article', { name: /mail/i }).waitFor();
  await page.getByRole('button', { name: 'Write a message instead' }).click();
  await page.getByText('A message: the agent reads it after the answer').waitFor();
  await composer().fill('Later');
  await composer().press('Enter');
  await page.getByRole('list', { name: 'Queued messages' }).getByText('Later').waitFor();
  const spoken = await page.evaluate(() => (window as unknown as { spoken: string[] }).spoken);
  expect(spoken).toEqual([expect.stringMatching(/^You are asked: .*mail/)]);
});

test('[WEB5] an answer from another tab moves the focus from the card to its receipt', async () => {
  await say('/call ask_user {"question": "Tea or coffee?"}');
  const other = await openTab(await openWindow(context), page.url());
  await page.locator('parley-form').getByRole('textbox').focus();
  await other.locator('parley-form').getByRole('textbox').fill('Tea');
  await other.getByRole('button', { name: 'OK' }).click();
  const receipt = page.locator('.receipt summary');
  await receipt.waitFor();
  await expect.poll(() => receipt.evaluate((line) => line.matches(':focus'))).toBe(true);
});

test('[WEB5] after an answer the focus goes to the next open prompt on the page, also of another call', async () => {
  await say(
    '/call ask_user {"question": "First?"}\n/call ask_user {"question": "Second?"}\n/call ask_user {"question": "Third?"}',
  );
  const card = (name: string) => page.locator('parley-card').filter({ hasText: name });
  await card('Third?').waitFor();
  await card('Second?').getByRole('textbox').fill('2');
  await card('Second?').getByRole('textbox').press('Enter');
  const hasFocus = (name: string) => card(name).evaluate((it) => it.matches(':focus-within'));
  await expect.poll(() => hasFocus('Third?')).toBe(true);
  await card('First?').locator('h2').focus();
  await page.keyboard.press('n');
  await expect.poll(() => hasFocus('Third?')).toBe(true);
});

test('[WEB6] a prompt in the inbox names its session, however many newer ones there are', async () => {
  const tab = await Tab.open(parley.url.replace('http', 'ws').replace(/\/?$/, '/ws'));
  const create = async (title: string) =>
    (await tab.ask<{ session: { id: string } }>({ type: 'create_session', title })).session.id;
  const session = await create('The oldest of all');
  await tab.follow(session);
  await tab.say(session, '/call collect_email');
  await tab.until(() => tab.events(session).some(({ type }) => type === 'interaction_request'));
  for (let n = 0; n < 101; n += 1) await create(`Session ${n}`);
  await page.reload();
  const inbox = page.getByRole('region', { name: 'Needs you' });
  await inbox.getByText('The oldest of all').waitFor();
  expect(await inbox.getByText('another session').count()).toBe(0);
  await tab.close();
});

test('[WEB4, OPS1] an unknown address shows a page to people and JSON to programs; scripts are served compressed', async () => {
  const lost = await openWindow(context);
  const response = await lost.goto(new URL('/no/such/page', parley.url).href);
  expect(response?.status()).toBe(404);
  await lost.locator('parley-app').getByRole('heading', { name: 'There is nothing here' }).waitFor();
  await lost.getByRole('link', { name: 'Go to the start page' }).click();
  await lost.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
  const plain = await fetch(new URL('/no/such/page', parley.url));
  expect([plain.status, (await plain.json()).error.code]).toEqual([404, 'not_found']);
  const script = await page.locator('script[src]').getAttribute('src');
  for (const encoding of ['br', 'gzip']) {
    const packed = await fetch(new URL(script ?? '', parley.url), { headers: { 'accept-encoding': encoding } });
    expect([packed.headers.get('content-encoding'), packed.headers.get('content-type')]).toEqual([
      encoding,
      expect.stringMatching('text/javascript'),
    ]);
    expect(packed.headers.get('vary')).toMatch(/accept-encoding/i);
    expect(await packed.text()).toContain('parley-app');
  }
});

test('[RPL4] the session is requested while the code that shows it is loaded', async () => {
  await say('/call collect_email');
  const strange = await browser.newContext(); // nothing is cached yet
  const late = await strange.newPage();
  const [held, sent]: [Route[], string[]] = [[], []];
  await late.route(/\/views-[^/]*\.js$/, (route) => void held.push(route));
  late.on('websocket', (line) => line.on('framesent', ({ payload }) => sent.push(String(payload))));
  await late.goto(page.url(), { waitUntil: 'commit' });
  await expect.poll(() => sent.some((frame) => frame.includes('"subscribe"')), { timeout: 30_000 }).toBe(true);
  expect(await late.locator('parley-session-view').count()).toBe(0);
  expect(held.length).toBeGreaterThan(0);
  for (const route of held) await route.continue();
  await late.getByRole('button', { name: 'OK' }).waitFor();
  await strange.close();
});

test('[WEB5] text is in the page’s own fonts, in three weights, and none of it is smaller than 12 px', async () => {
  const files: string[] = [];
  page.on('request', (request) => request.resourceType() === 'font' && files.push(request.url()));
  await page.reload();
  await say('/call delete_files {"files": ["notes.txt"]}');
  await page.getByRole('button', { name: 'Deny' }).waitFor();
  await page.evaluate(() => document.fonts.ready);
  const loaded = await page.evaluate(() =>
    [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family),
  );
  expect(loaded.sort()).toEqual(['Inter', 'JetBrains Mono']);
  expect(files.map((file) => new URL(file).origin)).toEqual(files.map(() => new URL(parley.url).origin));
  const { headers } = await fetch(files[0] ?? '');
  expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
    'font/woff2',
    expect.stringMatching('immutable'),
  ]);
  for (const open of [
    () => {},
    () => more().click(),
    () => page.keyboard.press('Escape').then(() => page.keyboard.press('?')),
  ]) {
    await open();
    const styles = await page.evaluate(() => {
      const found = new Set<string>();
      const walk = (root: ParentNode): void => {
        for (const element of root.querySelectorAll<HTMLElement>('*')) {
          const hasText = [...element.childNodes].some((node) => node instanceof Text && node.data.trim() !== '');
          const { fontSize, fontWeight } = getComputedStyle(element);
          if (hasText && element.checkVisibility()) found.add(`${fontSize} ${fontWeight}`);
          if (element.shadowRoot) walk(element.shadowRoot);
        }
      };
      walk(document.body);
      return [...found].map((each) => each.split(' ').map(Number.parseFloat));
    });
    expect(styles.filter(([size = 0, weight = 0]) => size < 12 || ![400, 500, 600].includes(weight))).toEqual([]);
  }
  expect(
    await page.evaluate(() => [document.documentElement, document.body].map((it) => getComputedStyle(it).fontSize)),
  ).toEqual(['16px', '15px']);
});

test.each([
  ['Markdown', 'md', /^# .*\n/],
  ['HTML', 'html', /^<!doctype html>/],
  ['JSONL', 'jsonl', /^\{.*"user_message"/m],
])('[RPL5] the menu saves the session as %s', async (name, extension, beginning) => {
  await say('Save this one');
  await page.getByText('I am a scripted demo').waitFor();
  await more().click();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Save as ${name}` }).click(),
  ]);
  expect(file.suggestedFilename()).toBe(`Save-this-one.${extension}`);
  const text = await readText(await file.createReadStream());
  expect(text).toMatch(beginning);
  expect(text).toContain('scripted demo');
});

test('[WEB3] the list is 264 px wide and the bar 48 px high; the headings of the list are aligned', async () => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await say('Hello there');
  await page.getByText('I am a scripted demo').waitFor();
  const sizeOf = async (selector: string) => {
    const box = await page.locator(selector).first().boundingBox();
    return { width: box?.width, height: box?.height };
  };
  expect((await sizeOf('aside')).width).toBe(264);
  expect((await sizeOf('parley-top-bar')).height).toBe(48);
  expect((await sizeOf('.brand')).height).toBe(48);
  const startOf = (part: ReturnType<Page['locator']>) =>
    part.evaluate((it) => {
      const words = document.createRange();
      words.selectNodeContents(it);
      return words.getBoundingClientRect().left;
    });
  const list = page.locator('aside');
  const heading = await startOf(list.getByRole('heading', { name: 'Recent' }));
  expect(await startOf(list.getByRole('button', { name: 'Archived' }))).toBe(heading);
});

test('[WEB3] on a phone buttons keep clear of the edges that the system uses', async () => {
  const phone = await openTab(await openWindow(context), parley.url);
  await phone.setViewportSize({ width: 390, height: 844 });
  const device = await context.newCDPSession(phone);
  const edgeBelow = async (selector: string) => {
    const box = await phone.locator(selector).first().boundingBox();
    return 844 - (box?.y ?? 0) - (box?.height ?? 0);
  };
  await say('/call collect_email', phone);
  await phone.getByRole('textbox', { name: 'Email' }).waitFor();
  await phone.getByRole('button', { name: 'Open in a dialog' }).waitFor();
  const before = await edgeBelow('parley-session-view .dock');
  await device.send('Emulation.setSafeAreaInsetsOverride' as never, { insets: { bottom: 34 } } as never);
  await expect.poll(() => edgeBelow('parley-session-view .dock')).toBe(before + 34);
  await phone.getByRole('button', { name: 'Open in a dialog' }).click();
  await expect.poll(() => edgeBelow('parley-form .actions')).toBeGreaterThanOrEqual(34);
});

test('[WEB8] a session is pinned to the top of the list, and an archived one leaves it', async () => {
  await say('Keep this at hand');
  const list = page.locator('parley-sessions');
  const choose = async (name: string) => {
    await more().click();
    await page.getByRole('button', { name, exact: true }).click();
  };
  await choose('Pin');
  const pinned = list.getByRole('navigation', { name: 'Pinned' }).getByRole('link', { name: 'Keep this at hand' });
  await pinned.waitFor();
  await choose('Unpin');
  await pinned.waitFor({ state: 'detached' });
  const recent = list.getByRole('link', { name: 'Keep this at hand' });
  await recent.waitFor();
  await choose('Archive');
  await recent.waitFor({ state: 'detached' });
  await choose('Bring back');
  await recent.waitFor();
});

test('[RPL2] a changed log is reported, with what that means for the page', async () => {
  let lines = 0;
  let drop = () => {};
  await page.routeWebSocket(/\/ws$/, (line) => {
    lines += 1;
    const epoch = `epoch-${lines}`;
    const server = line.connectToServer();
    server.onMessage((text) => {
      const frame = JSON.parse(String(text));
      line.send(JSON.stringify(frame.type === 'welcome' ? { ...frame, epoch } : frame));
    });
    drop = () => void line.close({ code: 1006 });
  });
  await page.reload();
  await composer().waitFor();
  drop();
  const words = page.getByRole('status').filter({ hasText: 'The server began with other data.' });
  await words.waitFor();
  await page.getByRole('button', { name: 'Close this message' }).click();
  await words.waitFor({ state: 'detached' });
});
