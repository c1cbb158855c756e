import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ParleyClient } from '../../client/src/index.ts';
import { launchBrowser } from './browser.ts';
import { connectTab, HostPage } from './host-page.ts';
import { Parley } from './parley.ts';

const host = new HostPage();
const stranger = new HostPage();
const parley = new Parley('--no-auth');
let browser: Browser;
let other: ParleyClient;

beforeAll(async () => {
  await stranger.start();
  parley.env = { PARLEY_FRAME_ANCESTORS: await host.start() };
  [browser] = await Promise.all([launchBrowser(), parley.start()]);
  for (const page of [host, stranger]) page.server = new URL(parley.url).origin;
  other = await connectTab(parley);
});

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});

afterAll(async () => {
  other.stop();
  host.close();
  stranger.close();
  await browser.close();
  await parley.stop();
});

async function ask(): Promise<{ readonly path: string; outcome(): string | undefined }> {
  const { id: sessionId } = await other.createSession({ title: 'Framed' });
  const session = other.open(sessionId);
  await session.send('/call delete_files {"files": ["todo.txt"]}');
  await expect.poll(() => session.state.head.prompts.length).toBe(1);
  const interactionId = session.state.head.prompts[0]?.request.interactionId ?? '';
  const outcome = () => {
    const item = session.state.items.get(`interaction:${interactionId}`);
    return item?.kind === 'interaction' ? item.response?.payload.action : undefined;
  };
  return { path: `/s/${sessionId}`, outcome };
}

const open = (page: HostPage, path: string): Promise<Page> =>
  page.open(browser, `<iframe width="900" height="700" src="${host.server}${path}"></iframe>`, '');

test('[TRN3] a page that is named frames ours, and a prompt is answered there', async () => {
  const { path, outcome } = await ask();
  const page = await open(host, path);
  await page.frameLocator('iframe').getByRole('button', { name: 'Allow once' }).click();
  await expect.poll(outcome).toBe('approve');
});

test('[TRN3, SEC3] any other page frames nothing', async () => {
  const { path } = await ask();
  const { origin } = stranger;
  const context = await browser.newContext();
  const page = await context.newPage();
  const refused = page.waitForEvent('console', (message) => /frame-ancestors|refused to/i.test(message.text()));
  stranger.files.set('/', `<!doctype html><iframe src="${host.server}${path}"></iframe>`);
  await page.goto(`${origin}/`);
  await refused;
  expect(await page.frames()[1]?.evaluate(() => document.querySelector('parley-app'))).toBeNull();
});

test('[WEB7] in a frame nothing can be allowed that is covered or faded, though the framed page cannot see what does it', async () => {
  const { path, outcome } = await ask();
  const page = await open(host, path);
  const frame = page.frameLocator('iframe');
  const allow = frame.getByRole('button', { name: 'Allow once' });
  await allow.and(frame.locator(':enabled')).waitFor();
  await page.evaluate(() => {
    const cover = document.createElement('div');
    cover.style.cssText = 'position: fixed; inset: 0; background: white; pointer-events: none';
    document.body.append(cover);
  });
  await settle(page);
  await allow.click();
  await page.evaluate(() => {
    document.querySelector('div')?.remove();
    document.querySelector('iframe')?.style.setProperty('opacity', '0.01');
  });
  await settle(page);
  await allow.click();
  expect(outcome()).toBeUndefined();
  await page.evaluate(() => document.querySelector('iframe')?.style.removeProperty('opacity'));
  await expect
    .poll(async () => {
      await allow.click({ timeout: 1000 }).catch(() => undefined);
      return outcome();
    })
    .toBe('approve');
});

test('[WEB7] a subject that was never in sight in its frame was not read', async () => {
  const { path, outcome } = await ask();
  host.files.set('/fade.js', "addEventListener('DOMContentLoaded', () => { document.body.style.opacity = 0.01; })");
  const body = `<iframe width="900" height="700" src="${host.server}${path}"></iframe>`;
  const page = await host.open(browser, body, '<script src="/fade.js"></script>');
  const allow = page.frameLocator('iframe').getByRole('button', { name: 'Allow once' });
  await page.frameLocator('iframe').getByText('Read to the end to allow it.').waitFor();
  expect(await allow.isDisabled()).toBe(true);
  expect(outcome()).toBeUndefined();
});

/** Until the browser has looked at what is visible: an observer like the page's own has reported on what changed. */
function settle(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const element = document.querySelector('iframe') as Element;
    for (let looked = 0; looked < 2; looked += 1)
      await new Promise<void>((resolve) => {
        const options = { trackVisibility: true, delay: 100 } as IntersectionObserverInit;
        const observer = new IntersectionObserver(() => {
          observer.disconnect();
          resolve();
        }, options);
        observer.observe(element);
      });
  });
}
