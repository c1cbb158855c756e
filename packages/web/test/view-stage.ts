import { createSocket } from 'node:dgram';
import { type AddressInfo, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, onTestFinished } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { launchBrowser } from './browser.ts';
import { Parley } from './parley.ts';

const parley = new Parley('--no-auth', '--plugin', fileURLToPath(new URL('plugins/views.mjs', import.meta.url)));
let browser: Browser;

/** Starts a server with the tests' views, and a browser, for the tests of a file. */
export function useViews(): void {
  beforeAll(async () => {
    [browser] = await Promise.all([launchBrowser(), parley.start()]);
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  afterAll(async () => {
    await browser.close();
    await parley.stop();
  });
}

interface Shown {
  readonly page: Page;
  readonly tab: Tab;
  readonly session: string;
  readonly frame: FrameLocator;
  /** Returns the answer, once there is one. */
  answer(): Promise<object>;
  isAnswered(): boolean;
  /** Whether the page has its former address, in the only window. */
  isHome(): boolean;
}

/** Opens a card with a view of the tests' plugin, on a page of its own. */
export function show(view: string, { tool = 'show', data = { word: 'blue' } as unknown } = {}): Promise<Shown> {
  return call(tool, { view, data });
}

/** Opens a card of a tool. */
export async function call(tool: string, args: object): Promise<Shown> {
  const tab = await Tab.open(`ws://${new URL(parley.url).host}/ws`);
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, `/call ${tool} ${JSON.stringify(args)}`);
  await tab.prompt(session);
  const page = await (await browser.newContext()).newPage();
  await page.goto(`${parley.url}s/${session}`);
  return {
    ...{ page, tab, session, frame: page.frameLocator('iframe') },
    answer: async () => (await tab.event(session, 'interaction_response')).payload,
    isAnswered: () => tab.events(session).some(({ type }) => type === 'interaction_response'),
    isHome: () => new URL(page.url()).origin === new URL(parley.url).origin && page.context().pages().length === 1,
  };
}

export const ok = (page: Page) => page.getByRole('button', { name: 'OK' });
export const plainForm = (page: Page) => page.locator('#field-word');

/** Starts a server that records whatever gets out: the first data of each connection, and datagrams at `stun`. */
export async function listen(): Promise<{ url: string; stun: string; heard: string[] }> {
  const heard: string[] = [];
  const server = createServer((socket) => {
    heard.push('connection');
    socket.on('data', (data) => heard.push(String(data).slice(0, 40))).on('error', () => undefined);
  });
  const datagrams = createSocket('udp4').on('message', () => heard.push('datagram'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await new Promise<void>((resolve) => datagrams.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    datagrams.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, stun: `http://127.0.0.1:${datagrams.address().port}`, heard };
}
