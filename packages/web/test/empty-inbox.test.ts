import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;

beforeAll(async () => {
  const server = new Parley('--plugin', 'packages/web/test/plugins/desk.mjs');
  [browser, parley] = await Promise.all([launchBrowser(), server.start()]);
});

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

/** Opens the page in a browser of its own with a new token, and waits for its log-in. */
async function logIn(role: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1180, height: 820 } })).newPage();
  const url = await parley.urlFor(role);
  await Promise.all([page.waitForResponse(/\/api\/login$/), openTab(page, url)]);
  return page;
}

test('[WEB8, SEC4] an empty inbox says why it is empty, and what to do about it', async () => {
  const viewer = await logIn('viewer');
  await openTab(viewer, new URL('/inbox', parley.url).href);
  await viewer.getByText('You are a viewer: you watch, and others answer.').waitFor();
  await viewer.getByText('log in with a token of the role responder').waitFor();
  await expect.poll(() => findViolations(viewer)).toEqual([]);
});

test('[WEB8, TEAM1] an inbox without questions for this person says that others are asked', async () => {
  const hello = { token: parley.token };
  const tab = await Tab.open(new URL('/ws', parley.url.replace('http', 'ws')).href, { hello });
  const sessionId = await tab.createSession();
  await tab.follow(sessionId);
  await tab.say(sessionId, '/call desk_operators {}');
  await tab.prompt(sessionId);
  const page = await logIn('responder');
  await openTab(page, new URL('/inbox', parley.url).href);
  await page.getByText('The sessions below wait for others.').waitFor();
  await page.getByRole('heading', { name: 'For others' }).waitFor();
});
