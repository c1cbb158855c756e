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
  await context.route(/^https:/, async (route) => {
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

test('[AGT4, PLG10] a page that declares origins loads once somebody wants it, reaches these alone, and the card names them', async () => {
  const { url, heard } = await listen();
  const urls = ['https://api.example.org/a', 'https://b.example.net/', 'https://x.example.org/', `${url}/c`];
  const { page, frame, sent, isAnswered } = await open('fetch', { urls, image: 'https://cdn.example.org/i.svg' });
  await page.getByText('It may load from https://api.example.org, https://cdn.example.org,').waitFor();
  expect(await page.locator('iframe').count()).toBe(0);
  await page.getByRole('button', { name: 'Show the view' }).click();
  await frame.getByText('image loaded').waitFor();
  await frame.getByText('https://api.example.org/a answered').waitFor();
  for (const other of urls.slice(1)) await frame.getByText(`${other} blocked`).waitFor();
  expect(sent).toEqual(['https://api.example.org/a', 'https://cdn.example.org/i.svg']);
  expect(heard).toEqual([]);
  expect(await page.getByText('It may load from https://api.example.org').count()).toBe(1);
  expect(isAnswered()).toBe(false);
});

test.each(['network', 'top', 'close', 'parent'])(
  '[AGT4, PLG10, SEC3] a hostile page of an MCP server is contained: %s',
  async (attack) => {
    const { url, heard } = await listen();
    const { page, frame, tab, session, sent, isAnswered } = await open('hostile', { attack, url });
    await (attack === 'parent' ? frame.getByText('got 0.').first() : frame.getByText('tried.').first()).waitFor();
    expect([heard, sent]).toEqual([[], []]);
    expect(new URL(page.url()).origin).toBe(new URL(parley.url).origin);
    expect(page.context().pages()).toHaveLength(1);
    expect((await page.locator('iframe').boundingBox())?.height).toBeLessThanOrEqual(700);
    await tab.ask({ type: 'read_events', sessionId: session, before: 1000, limit: 10 }); // anything sent before has then arrived
    expect(isAnswered()).toBe(false);
  },
);

test.each(['away', 'flood'])(
  '[AGT4, PLG10] a page of an MCP server that misbehaves is removed, and the card can still be answered: %s',
  async (attack) => {
    const { url, heard } = await listen();
    const { page, isAnswered } = await open('hostile', { attack, url });
    await page.getByText('The view of “apps” is not shown').waitFor();
    expect(await page.locator('iframe').count()).toBe(0);
    expect(heard).toEqual([]);
    const deny = page.locator('parley-approval').getByRole('button', { name: 'Deny' });
    await expect.poll(() => deny.click({ timeout: 500 }).then(isAnswered, isAnswered)).toBe(true);
  },
);

test('[AGT4] a page of another type leaves the plain card, and tools for pages alone are not offered', async () => {
  const { page, tab, session } = await open('markdown', { note: 'plain' });
  await page.locator('parley-subject').getByText('"plain"').waitFor();
  expect(await page.locator('parley-view').count()).toBe(0);
  expect((await tab.event(session, 'interaction_request')).payload).not.toHaveProperty('view');
});
