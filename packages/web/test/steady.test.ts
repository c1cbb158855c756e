import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { launchBrowser, openTab } from './browser.ts';
import { Parley } from './parley.ts';

declare global {
  interface Window {
    /** Every layout shift since the page began, with the boxes that moved. */
    shifts: { readonly value: number; readonly moved: readonly string[] }[];
  }
}

let browser: Browser;
let parley: Parley;
let tab: Tab;

beforeAll(async () => {
  const server = new Parley('--no-auth', '--plugin', 'packages/web/test/plugins/publish.mjs');
  [browser, parley] = await Promise.all([launchBrowser(), server.start()]);
  tab = await Tab.open(new URL('/ws', parley.url.replace('http', 'ws')).href);
});

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

/** Starts a session in which a question and an approval wait. */
async function ask(title: string): Promise<void> {
  const id = await tab.createSession();
  await tab.ask({ type: 'update_session', sessionId: id, title });
  await tab.follow(id);
  const question = { question: `Which way for ${title}?`, options: ['left', 'right', 'straight on'] };
  await tab.say(id, `/call ask_user ${JSON.stringify(question)}\n/call publish {"name":"${title}"}`);
  const countOf = () => tab.events(id).filter(({ type }) => type === 'interaction_request').length;
  await expect.poll(countOf).toBe(2);
}

/** Opens a page whose files arrive one after the other, as over a slow network, and records what moves in it. */
async function openSlowly(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage();
  await page.addInitScript(() => {
    window.shifts = [];
    const showBox = ({ x, y, width, height }: DOMRect) => [x, y, width, height].join(' ');
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as (PerformanceEntry & {
        value: number;
        sources: { previousRect: DOMRect; currentRect: DOMRect }[];
      })[]) {
        const moved = entry.sources.map(
          ({ previousRect: from, currentRect: to }) => `${showBox(from)} to ${showBox(to)}`,
        );
        window.shifts.push({ value: entry.value, moved });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  const network = await context.newCDPSession(page);
  await network.send('Network.enable');
  await network.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 120,
    downloadThroughput: -1,
    uploadThroughput: -1,
  });
  return openTab(page, new URL(path, parley.url).href);
}

const sizes = { 'a phone': { width: 390, height: 844 }, 'a desk': { width: 1180, height: 820 } };

test.each(Object.entries(sizes))('[WEB5, WEB8] nothing jumps while the prompts load, on %s', async (_, viewport) => {
  for (const title of ['Trip', 'Release', 'Garden']) await ask(title);
  for (const path of ['/', '/inbox']) {
    const context = await browser.newContext({ viewport, isMobile: viewport.width < 480, hasTouch: true });
    const page = await openSlowly(context, path);
    await page.getByText('Which way for').filter({ visible: true }).first().waitFor();
    await page.waitForLoadState('networkidle');
    const shifts = await page.evaluate(() => window.shifts);
    const sum = shifts.reduce((total, { value }) => total + value, 0);
    expect(sum, `${path}: ${JSON.stringify(shifts)}`).toBeLessThan(0.02);
    await context.close();
  }
});
