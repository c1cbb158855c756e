import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, FrameLocator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { launchBrowser } from './browser.ts';
import { Parley } from './parley.ts';
import { listen } from './view-stage.ts';

const toy = fileURLToPath(new URL('../../../plugins/mcp/test/apps-stdio.mjs', import.meta.url));
let folder: string;
let parley: Parley;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-apps-'));
  const config = join(folder, 'parley.json');
  const mcpServers = { apps: { command: process.execPath, args: [toy] } };
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

interface Card {
  readonly page: Page;
  readonly frame: FrameLocator;
  readonly tab: Tab;
  readonly session: string;
  /** Addresses of the requests that left the page for the web. */
  readonly sent: string[];
  isAnswered(): boolean;
}

/** Opens the card of a call that a page of the server shows. */
async function open(tool: string, args: object): Promise<Card> {
  const tab = await Tab.open(`ws://${new URL(parley.url).host}/ws`);
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, `/call apps__${tool} ${JSON.stringify(args)}`);
  await tab.prompt(session);
  const context = await browser.newContext({ serviceWorkers: 'block' });
  const sent: string[] = [];
  const headers = { 'access-control-allow-origin': '*' };
  await context.route('https://**', async (route) => {
    sent.push(route.request().url());
    await route.fulfill({ headers, contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' });
  });
  const page = await context.newPage();
  await page.goto(`${parley.url}s/${session}`);
  const isAnswered = () => tab.events(session).some(({ type }) => type === 'interaction_response');
  return { page, frame: page.frameLocator('iframe'), tab, session, sent, isAnswered };
}

test('[AGT4, PLG10] a page of an MCP server shows a call below its arguments, and nothing that it asks for happens', async () => {
  const { page, frame, tab, session, isAnswered } = await open('chart', { city: 'Bern' });
  await frame.getByText('It shows {"city":"Bern"}').waitFor();
  for (const said of ['link: -32000', 'message: -32000', 'tool: -32000', 'unknown: -32601', 'theme: light'])
    await frame.getByText(said).waitFor();
  expect(await page.locator('parley-subject').getByText('"Bern"').count()).toBe(1);
  expect(await page.getByTitle('A view of the MCP server apps').getAttribute('sandbox')).toBe('allow-scripts');
  expect(page.context().pages()).toHaveLength(1);
  expect(isAnswered()).toBe(false);
  const allow = page.locator('parley-approval').getByRole('button', { name: 'Allow once' });
  await expect.poll(() => allow.click({ timeout: 500 }).then(isAnswered, isAnswered)).toBe(true); // not while the buttons move
  expect((await tab.event(session, 'tool_result')).payload).toMatchObject({ result: 'done' });
});
