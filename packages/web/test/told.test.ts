import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openPage, serveGallery } from './browser.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveGallery>>;
let page: Page;

beforeAll(async () => {
  [browser, site] = await Promise.all([launchBrowser(), serveGallery()]);
  page = await openPage(browser, site.url);
});

afterAll(async () => {
  await browser.close();
  await site.close();
});

test('[ASK3] what a program tells is shown as a message, under the name of the tool', async () => {
  await page.evaluate(() => {
    window.gallery.startTurn();
    window.gallery.call('c', 'tell_human', { text: 'The tests are **green**. <b>Really</b>' });
    const payload = { toolCallId: 'c', toolName: 'tell_human', result: { ok: true } };
    window.gallery.append({ type: 'tool_result', payload, turnId: 't1' });
  });
  const block = page.locator('parley-tool');
  expect(await block.locator('parley-markdown strong').innerText()).toBe('green');
  expect(await block.locator('b').count()).toBe(0);
  expect(await block.getByText('tell_human').isVisible()).toBe(true);
  expect(await block.getByText('Arguments').count()).toBe(0);
  await block.getByText('done').waitFor();
  expect(await block.getByText('Result').count()).toBe(0);
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
});
