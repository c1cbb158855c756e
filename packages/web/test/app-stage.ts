import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { launchBrowser } from './browser.ts';
import { Parley } from './parley.ts';

const toy = fileURLToPath(new URL('plugins/apps-stdio.mjs', import.meta.url));
let folder: string;
let parley: Parley;
let browser: Browser;

/** Starts a server with the MCP server `apps`, and a browser, for the tests of a file. */
export function useApps(era: 'legacy' | 'modern'): void {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-apps-'));
    const config = join(folder, 'parley.json');
    const mcpServers = { apps: { command: process.execPath, args: [toy, era] } };
    await writeFile(config, JSON.stringify({ pluginConfigs: { mcp: { mcpServers } } }));
    parley = new Parley('--no-auth', '--config', config);
    [browser] = await Promise.all([launchBrowser(), parley.start()]);
  });
  afterEach(async () => {
    await Promise.all(browser.contexts().map((context) => context.close()));
  });
  afterAll(async () => {
    await browser.close();
    await parley.stop();
    await rm(folder, { recursive: true });
  });
}

/** Kills the server and starts it again. */
export async function restart(): Promise<void> {
  await parley.kill();
  await parley.start();
}

interface Card {
  readonly page: Page;
  readonly frame: FrameLocator;
  readonly tab: Tab;
  readonly session: string;
  /** Addresses of the requests that left the page for the web. */
  readonly sent: string[];
  isAnswered(): boolean;
  /** Whether the page has its former address, in the only window. */
  isHome(): boolean;
}

/** Begins a call in a new session. */
async function begin(tool: string, args: object) {
  const tab = await Tab.open(`ws://${new URL(parley.url).host}/ws`);
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, `/call apps__${tool} ${JSON.stringify(args)}`);
  return { tab, session };
}

/** Calls a tool that asks nobody. */
export async function run(tool: string): Promise<{ readonly result?: unknown; readonly error?: unknown }> {
  const { tab, session } = await begin(tool, {});
  return (await tab.event(session, 'tool_result')).payload;
}

/** Opens the card of a call that a page of the server shows. */
export async function open(tool: string, args: object): Promise<Card> {
  const { tab, session } = await begin(tool, args);
  await tab.prompt(session);
  const context = await browser.newContext({ serviceWorkers: 'block' });
  const sent: string[] = [];
  const headers = { 'access-control-allow-origin': '*' };
  await context.route(/^https:/, async (route) => {
    sent.push(route.request().url());
    await route.fulfill({ headers, contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
  });
  const page = await context.newPage();
  await page.goto(`${parley.url}s/${session}`);
  const isAnswered = () => tab.events(session).some(({ type }) => type === 'interaction_response');
  const isHome = () => new URL(page.url()).origin === new URL(parley.url).origin && context.pages().length === 1;
  return { page, frame: page.frameLocator('iframe'), tab, session, sent, isAnswered, isHome };
}
