import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requests as allRequests } from '../../server/test/support/routes.ts';
import { attack, serveHostile, watchAnswers } from './attacks.ts';
import { launchWholeBrowser, openWindow } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let hostile: Awaited<ReturnType<typeof serveHostile>>;
let target: string;
let requests: typeof allRequests;

beforeAll(async () => {
  [browser, parley, hostile] = await Promise.all([launchWholeBrowser(), new Parley().start(), serveHostile()]);
  target = new URL(parley.url).origin;
  const script = /\/assets\/[^"]+\.js/.exec(await (await fetch(target)).text())?.[0] ?? '';
  requests = allRequests.map(([method, path]) => [method, path.startsWith('/assets') ? script : path]);
});

afterAll(async () => {
  hostile.close();
  await browser.close();
  await parley.stop();
});

/** Opens a browser in which a person is logged in. CSP is bypassed, so that only the server can stop hostile scripts. */
async function logIn(): Promise<{ context: BrowserContext; owner: Page }> {
  const context = await browser.newContext({ bypassCSP: true });
  const owner = await context.newPage();
  await owner.goto(`${target}/#token=${parley.token}`);
  await owner.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
  return { context, owner };
}

test.each(['127.0.0.1', 'localhost'])(
  '[SEC3] a page from another port of %s reads nothing and changes nothing',
  async (name) => {
    const { context, owner } = await logIn();
    const page = await openWindow(context);
    const answers = await watchAnswers(page, target);
    await page.goto(`http://${name}:${hostile.port}/`);
    expect(await attack(page, target, requests)).toEqual([]);
    expect([...answers.statuses]).toEqual([403]);
    const tried = ['fetch get', 'fetch post', 'image get', 'script get', 'eventsource get', 'ping post'];
    expect([...answers.kinds]).toEqual(expect.arrayContaining([...tried, 'document get', 'document post']));
    expect(page.frames().filter((frame) => frame.url().startsWith(target))).toEqual([]);
    await owner.reload();
    await owner.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
    await context.close();
  },
);

test('[SEC3] from the server’s own page the same requests succeed, except framing', async () => {
  const { context, owner } = await logIn();
  await owner.goto(`${target}/healthz`);
  const answers = await watchAnswers(owner, target);
  const gains = await attack(owner, target, requests);
  const reads = requests.filter(([method]) => method === 'GET').map(([, path]) => path.split('?')[0]);
  for (const path of reads) expect(gains).toContain(`cors GET ${path}`);
  expect(gains).toEqual(expect.arrayContaining(['img /icon.svg', 'socket open', 'socket welcome']));
  expect(gains.filter((gain) => gain.startsWith('script /assets'))).toHaveLength(1);
  expect(gains).toContain('cors POST /api/logout');
  expect([...answers.statuses]).toEqual(expect.arrayContaining([200, 204]));
  await owner.goto(target);
  await owner.getByLabel('Token').waitFor();
  await context.close();
});

test('[SEC3] no page can frame this one or keep a handle on its window', async () => {
  const context = await browser.newContext();
  const owner = await context.newPage();
  await owner.goto(`${target}/#token=${parley.token}`);
  await owner.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
  const page = await openWindow(context);
  await page.goto(`http://127.0.0.1:${hostile.port}/`);
  await page.evaluate(
    async (urls) => {
      for (const src of urls) {
        const frame = document.createElement('iframe');
        document.body.append(frame);
        await new Promise((resolve) => {
          frame.onload = resolve;
          frame.src = src;
        });
      }
    },
    [`${target}/`, `http://127.0.0.1:${hostile.port}/framed`],
  );
  const texts = await Promise.all(
    page
      .frames()
      .slice(1)
      .map((frame) => frame.locator('body').innerText()),
  );
  expect(texts[0]).not.toContain('What should the agent do?');
  expect(texts[1]).toBe('Hello');
  const opened = context.waitForEvent('page');
  await page.evaluate((url) => Object.assign(globalThis, { held: window.open(url) }), target);
  await (await opened).getByRole('heading', { name: 'What should the agent do?' }).waitFor(); // links to the page are allowed
  await expect.poll(() => page.evaluate(() => (globalThis as unknown as { held: Window }).held.closed)).toBe(true);
  await context.close();
});

test('[SEC3] DNS rebinding gets nothing', async () => {
  const rebound = await launchWholeBrowser('--host-resolver-rules=MAP hostile.example 127.0.0.1');
  const { port } = new URL(target);
  const origin = `http://hostile.example:${port}`;
  const page = await (await rebound.newContext({ bypassCSP: true })).newPage();
  expect((await page.goto(origin))?.status()).toBe(403);
  const answers = await watchAnswers(page, origin);
  const gains = await attack(page, origin, requests);
  expect(gains.filter((gain) => !/^(no-)?cors /.test(gain))).toEqual([]); // these requests can read only the refusal
  expect([...answers.statuses]).toEqual([403]);
  await rebound.close();
});
