import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Asked, HostPage, useHostPage } from './host-page.ts';

const site = useHostPage('PARLEY_FRAME_ANCESTORS', '--no-auth');
const { host, outcomeOf } = site;
const stranger = new HostPage();

beforeAll(async () => {
  await stranger.start();
  stranger.server = host.server;
});

afterAll(() => stranger.close());

const ask = () => site.ask('delete_files {"files": ["todo.txt"]}', 'Framed');

const open = (asked: Asked): Promise<Page> => site.open(frameOf(asked), '');
const frameOf = ({ sessionId }: Asked) =>
  `<iframe width="900" height="700" src="${host.server}/s/${sessionId}"></iframe>`;

test('[TRN3] a page that the server names can frame ours, and a prompt is answered there', async () => {
  const asked = await ask();
  const page = await open(asked);
  await page.frameLocator('iframe').getByRole('button', { name: 'Allow once' }).click();
  await expect.poll(() => outcomeOf(asked)?.action).toBe('approve');
});

test('[TRN3, SEC3] any other page cannot frame it', async () => {
  const asked = await ask();
  const { origin } = stranger;
  const context = await site.browser.newContext();
  const page = await context.newPage();
  const refused = page.waitForEvent('console', (message) => /frame-ancestors|refused to/i.test(message.text()));
  stranger.files.set('/', `<!doctype html>${frameOf(asked)}`);
  await page.goto(`${origin}/`);
  await refused;
  expect(await page.frames()[1]?.evaluate(() => document.querySelector('parley-app'))).toBeNull();
});

test('[WEB7] in a frame nothing covered or faded can be allowed, although the framed page cannot see the cause', async () => {
  const asked = await ask();
  const page = await open(asked);
  const frame = page.frameLocator('iframe');
  const allow = frame.getByRole('button', { name: 'Allow once' });
  await allow.and(frame.locator(':enabled')).waitFor();
  await page.evaluate(() => {
    const cover = document.createElement('div');
    cover.style.cssText = 'position: fixed; inset: 0; background: white; pointer-events: none';
    document.body.append(cover);
  });
  await settle(allow);
  await allow.click();
  await page.evaluate(() => {
    document.querySelector('div')?.remove();
    document.querySelector('iframe')?.style.setProperty('opacity', '0.01');
  });
  await settle(allow);
  await allow.click();
  expect(outcomeOf(asked)).toBeUndefined();
  await page.evaluate(() => document.querySelector('iframe')?.style.removeProperty('opacity'));
  await expect
    .poll(async () => {
      await allow.click({ timeout: 1000 }).catch(() => undefined);
      return outcomeOf(asked)?.action;
    })
    .toBe('approve');
});

test('[WEB7] a subject that was never visible in its frame does not count as read', async () => {
  const asked = await ask();
  host.files.set('/fade.js', "addEventListener('DOMContentLoaded', () => { document.body.style.opacity = 0.01; })");
  const page = await site.open(frameOf(asked), '<script src="/fade.js"></script>');
  const allow = page.frameLocator('iframe').getByRole('button', { name: 'Allow once' });
  await page.frameLocator('iframe').getByText('Read to the end to allow it.').waitFor();
  expect(await allow.isDisabled()).toBe(true);
  expect(outcomeOf(asked)).toBeUndefined();
});

/**
 * Waits until the framed page knows that a button is hidden: until an observer like the page's own has reported it, and the page
 * had time for another check.
 */
function settle(button: Locator): Promise<void> {
  return button.evaluate(
    (element) =>
      new Promise<void>((resolve) => {
        const delay = 100;
        const isKnown = () => requestAnimationFrame(() => requestAnimationFrame(() => resolve()));
        const options = { trackVisibility: true, delay } as IntersectionObserverInit;
        const observer = new IntersectionObserver(([entry]) => {
          if (entry && 'isVisible' in entry && entry.isVisible) return;
          observer.disconnect();
          setTimeout(isKnown, 2 * delay); // each observer reports once per delay, at its own time
        }, options);
        observer.observe(element);
      }),
  );
}
