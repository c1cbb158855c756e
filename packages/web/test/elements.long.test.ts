import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { type Asked, useHostPage } from './host-page.ts';

const site = useHostPage();
const { host, parley, ask, open, outcomeOf } = site;

const question = (words = 'Tea?') => `ask_user ${JSON.stringify({ question: words })}`;
const choice = 'ask_user {"question": "Which way?", "options": ["left", "right"]}';
const deletion = 'delete_files {"files": ["todo.txt"]}';

const at = () => `server="${host.server}" token="${parley.token}"`;
const sessionOf = ({ sessionId }: Asked, more = '') =>
  `<parley-session ${at()} session-id="${sessionId}" ${more}></parley-session>`;
const promptOf = ({ sessionId, interactionId }: Asked) =>
  `<parley-interaction ${at()} session-id="${sessionId}" interaction-id="${interactionId}"></parley-interaction>`;

/** Collects the events that reach the page around, whatever their names. */
async function hear(page: Page): Promise<() => Promise<readonly { type: string; detail: Record<string, unknown> }[]>> {
  await page.evaluate(() => {
    const heard: object[] = [];
    Object.assign(window, { heard });
    const { dispatchEvent } = EventTarget.prototype;
    const known = new Set<string>();
    EventTarget.prototype.dispatchEvent = function (event) {
      if (!known.has(event.type) && event.type.startsWith('parley-')) {
        known.add(event.type);
        document.addEventListener(event.type, ({ type, detail }: CustomEventInit & { type: string }) =>
          heard.push({ type, detail }),
        );
      }
      return dispatchEvent.call(this, event);
    };
  });
  return () =>
    page.evaluate(() => (window as unknown as { heard: { type: string; detail: Record<string, unknown> }[] }).heard);
}

test('[TRN3] an element without a server connects to none, least of all to that of the page around', async () => {
  const page = await open('<main></main>');
  const hosts: string[] = [];
  page.on('websocket', (socket) => hosts.push(new URL(socket.url()).host));
  await page.evaluate(addElements, [`<parley-inbox></parley-inbox>`]);
  await page.locator('parley-inbox').evaluate((element, login) => Object.assign(element, login), {
    server: host.server,
    token: parley.token,
  });
  await page.getByRole('heading', { name: 'Needs you' }).waitFor();
  await expect.poll(() => hosts).toEqual([new URL(host.server).host]); // the browser driver reports requests a little later
});

test('[TRN3, WEB8] an inbox that has never reached its server says so, and not that nothing needs you', async () => {
  const page = await open('<main></main>');
  await page.routeWebSocket(/\/ws$/, (socket) => socket.close());
  await page.route('**/healthz', (route) => route.abort());
  await page.evaluate(addElements, [`<parley-inbox ${at()}></parley-inbox>`]);
  await page.getByText('The server is not responding.').waitFor();
  await page.getByRole('heading', { name: 'Needs you' }).waitFor();
  expect(await page.getByText('Nothing needs you.').count()).toBe(0);
});

test('[TRN3] a prompt is answered in an element on a page of another origin under a strict policy; other tabs see it', async () => {
  const asked = await ask(deletion);
  const page = await open(promptOf(asked));
  const heard = await hear(page);
  await page.getByRole('button', { name: 'Allow once' }).click();
  await page.getByText('Allowed once').waitFor();
  await expect.poll(() => outcomeOf(asked)).toMatchObject({ action: 'approve' });
  await expect.poll(heard).toEqual(
    expect.arrayContaining([
      { type: 'parley-answered', detail: { ...asked, action: 'approve' } },
      { type: 'parley-settled', detail: { ...asked, status: 'answered', action: 'approve' } },
    ]),
  );
  const types = new Set((await heard()).map(({ type }) => type));
  expect([...types].sort()).toEqual(['parley-answered', 'parley-settled']); // and none of the inner events
});

test('[TRN3] a session is shown, reported and written in; elements of one server and token share a connection', async () => {
  const asked = await ask(question());
  const sockets: string[] = [];
  const page = await open('<main></main>');
  page.on('websocket', (socket) => sockets.push(socket.url()));
  const heard = await hear(page);
  await page.evaluate(addElements, [sessionOf(asked), promptOf(asked), `<parley-inbox ${at()}></parley-inbox>`]);
  const field = page.locator('parley-session').getByRole('textbox', { name: 'Answer' });
  await field.fill('Yes, please');
  await page.locator('parley-session').getByRole('button', { name: 'OK' }).click();
  await expect.poll(() => outcomeOf(asked)).toMatchObject({ action: 'submit', input: { answer: 'Yes, please' } });
  await page.locator('parley-interaction').getByText('Yes, please').first().waitFor();
  await expect.poll(() => sockets.length).toBe(1);
  const message = page.locator('parley-session').getByLabel('Message', { exact: true });
  await message.fill('Thank you');
  await message.press('Enter');
  await page.locator('parley-session').getByText('Thank you').first().waitFor();
  const events = await heard();
  const { sessionId } = asked;
  expect(events).toContainEqual({
    type: 'parley-session-change',
    detail: { sessionId, title: 'Trip', status: 'waiting', openCount: 1 },
  });
  expect(events.filter(({ type }) => type === 'parley-answered')).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'parley-settled')).toHaveLength(2); // of the session, and of the prompt
  expect(events).toContainEqual({ type: 'parley-inbox-change', detail: { open: 0 } });
});

test('[TRN3, WEB8] an inbox reports the prompts that wait for this person: one that was put off does not', async () => {
  const asked = await ask(question());
  const page = await open('<main></main>');
  const heard = await hear(page);
  await page.evaluate(addElements, [`<parley-inbox ${at()}></parley-inbox>`]);
  await page.getByRole('button', { name: '1 hour' }).click();
  await page.getByText('Put off until').waitFor();
  const reports = async () => (await heard()).filter(({ type }) => type === 'parley-inbox-change');
  await expect.poll(async () => (await reports()).at(-1)?.detail).toEqual({ open: 0 });
  await page.getByRole('button', { name: /^Bring back/ }).click();
  await expect.poll(async () => (await reports()).at(-1)?.detail).toEqual({ open: 1 });
  await page.getByRole('textbox', { name: 'Answer' }).fill('Yes');
  await page.getByRole('button', { name: 'OK' }).click();
  await expect.poll(() => outcomeOf(asked)).toMatchObject({ action: 'submit' });
});

/** Adds elements as a page does that creates its elements itself: its policy forbids markup in strings. */
function addElements(elements: readonly string[]): void {
  for (const text of elements) {
    const [, name = ''] = /^<([\w-]+)/.exec(text) ?? [];
    const element = document.createElement(name);
    for (const [, attribute = '', value = ''] of text.matchAll(/([\w-]+)="([^"]*)"/g))
      element.setAttribute(attribute, value);
    document.body.append(element);
  }
}

test('[TRN3] the inbox answers in place; a link elsewhere in Parley is for the page to follow', async () => {
  const asked = await ask(question('Coffee?'), 'Breakfast');
  const page = await open(`<parley-inbox ${at()}></parley-inbox>`);
  const heard = await hear(page);
  await page.evaluate(() => document.addEventListener('parley-open', (event) => event.preventDefault()));
  await page.getByRole('link', { name: 'Breakfast' }).click();
  const url = `${host.server}/s/${asked.sessionId}/${asked.interactionId}`;
  await expect.poll(heard).toContainEqual({ type: 'parley-open', detail: { ...asked, url } });
  expect(new URL(page.url()).pathname).toBe('/');
  await page.getByRole('textbox', { name: 'Answer' }).fill('Black');
  await page.getByRole('button', { name: 'OK' }).click();
  await expect.poll(heard).toContainEqual({ type: 'parley-answered', detail: { ...asked, action: 'submit' } });
});

test('[TRN3] the page around keeps its focus, keys, title, address, history and styles', async () => {
  const asked = await ask(question());
  const page = await open(
    `<input aria-label="Own" autofocus><button>Own button</button>${sessionOf(asked)}<parley-inbox ${at()}></parley-inbox>`,
  );
  await page.locator('parley-session').getByRole('button', { name: 'OK' }).waitFor();
  await page.locator('parley-inbox').getByRole('button', { name: 'OK' }).waitFor();
  const look = () =>
    page.evaluate(() => ({
      focus: document.activeElement?.getAttribute('aria-label'),
      title: document.title,
      address: location.href,
      entries: history.length,
      head: document.head.innerHTML,
      sheets: document.styleSheets.length + document.adoptedStyleSheets.length,
      attributes: document.documentElement.getAttributeNames().join() + document.body.getAttributeNames().join(),
    }));
  expect(await look()).toMatchObject({
    focus: 'Own',
    title: 'Host',
    address: `${host.origin}/`,
    sheets: 0,
    attributes: 'lang',
  });
  const before = await look();
  await page.getByRole('button', { name: 'Own button' }).focus();
  const left = await page.evaluate(async () => {
    const prevented: string[] = [];
    addEventListener('keydown', (event) => event.defaultPrevented && prevented.push(event.key));
    for (const key of ['j', 'k', 'n', 'm', '/', '?', '1', 'Enter', 'Escape'])
      document.activeElement?.dispatchEvent(
        new KeyboardEvent('keydown', { key, bubbles: true, composed: true, cancelable: true }),
      );
    return prevented;
  });
  expect(left).toEqual([]);
  await page.getByRole('textbox', { name: 'Own' }).focus();
  await site.other.open(asked.sessionId).cancelTurn();
  await page.locator('parley-session').getByRole('button', { name: 'OK' }).waitFor({ state: 'detached' });
  expect(await look()).toEqual(before);
});

test('[TRN3] an element is moved without a new connection, removed, and added again', async () => {
  const asked = await ask(question());
  const watching = site.other.open(asked.sessionId);
  const connections = () => site.other.state.presence.get(asked.sessionId)?.connections;
  const page = await open('<main></main>');
  let opened = 0;
  page.on('websocket', () => {
    opened += 1;
  });
  await page.evaluate(addElements, [sessionOf(asked)]);
  await page.getByRole('textbox', { name: 'Answer' }).fill('half-typed');
  await expect.poll(connections).toBe(2);
  const session = await page.$('parley-session');
  await page.evaluate((element) => document.querySelector('main')?.append(element as Node), session);
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
  await expect.poll(() => opened).toBe(1);
  await page.evaluate((element) => (element as Element).remove(), session);
  await expect.poll(connections).toBe(1);
  await page.evaluate((element) => document.body.append(element as Node), session);
  await expect.poll(() => page.getByRole('textbox', { name: 'Answer' }).inputValue()).toBe('half-typed');
  await expect.poll(() => opened).toBe(2);
  watching.close();
});

test('[TRN3] a choice that could still be undone is sent when its element is removed', async () => {
  const asked = await ask(choice);
  const page = await open(promptOf(asked));
  await page.getByRole('radio', { name: 'left' }).click();
  await page.evaluate(() => document.querySelector('parley-interaction')?.remove());
  await expect.poll(() => outcomeOf(asked)).toMatchObject({ action: 'submit', input: { answer: 'left' } });
});

test('[TRN3] a page that loads the library twice, from two places, has each element once', async () => {
  const asked = await ask(question());
  const page = await open(
    promptOf(asked),
    '<script type="module" src="/parley/index.js"></script><script type="module" src="/copy/index.js"></script>',
  );
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
});

test('[TRN3] a rejected token is reported, and never written anywhere', async () => {
  const lines: string[] = [];
  const page = await open('<main></main>');
  page.on('console', (message) => lines.push(message.text()));
  const heard = await hear(page);
  const token = 'parley_wrong-token';
  await page.evaluate(
    ([server = '', secret = '']) => {
      const inbox = document.createElement('parley-inbox');
      Object.assign(inbox, { server, token: secret });
      document.body.append(inbox);
    },
    [host.server, token],
  );
  await page.getByRole('alert').filter({ hasText: 'does not let this page in' }).waitFor();
  expect(await heard()).toMatchObject([{ type: 'parley-error', detail: { code: 'unauthorised' } }]);
  const traces = await page.evaluate(() =>
    JSON.stringify([
      document.documentElement.outerHTML,
      { ...sessionStorage },
      { ...localStorage },
      (window as unknown as { heard: object }).heard,
    ]),
  );
  expect(traces + lines.join()).not.toContain(token);
});

test('[TRN3] the colours are those of the page’s scheme, of the attribute, or of its own tokens; parts can be styled', async () => {
  const asked = await ask(deletion);
  const page = await open(promptOf(asked), `<script type="module" src="/parley/index.js"></script>`);
  const colours = () =>
    page.evaluate(() => {
      const element = document.querySelector('parley-interaction') as HTMLElement;
      const find = (root: ParentNode, name: string): Element | undefined =>
        [...root.querySelectorAll('*')]
          .map((child) =>
            child.localName === name ? child : child.shadowRoot ? find(child.shadowRoot, name) : undefined,
          )
          .find(Boolean);
      const card = find(document, 'parley-card') as HTMLElement;
      return {
        canvas: getComputedStyle(element).backgroundColor,
        accent: getComputedStyle(card).getPropertyValue('--accent'),
        outline: getComputedStyle(card).outlineStyle,
      };
    });
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  const light = { canvas: 'rgb(251, 251, 250)', outline: 'none' };
  const dark = { canvas: 'rgb(17, 17, 19)' };
  await expect.poll(colours).toMatchObject(light);
  await page.evaluate(() => document.documentElement.style.setProperty('color-scheme', 'dark'));
  await expect.poll(colours).toMatchObject(dark);
  await page.evaluate(() => document.querySelector('parley-interaction')?.setAttribute('theme', 'light'));
  await expect.poll(colours).toMatchObject(light);
  await page.evaluate(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(
      ':root { --parley-accent: rgb(1, 2, 3); --accent: red } parley-interaction::part(card) { outline: 1px dashed }',
    );
    document.adoptedStyleSheets = [sheet];
  });
  await expect.poll(colours).toMatchObject({ accent: 'rgb(1, 2, 3)', outline: 'dashed' });
});
