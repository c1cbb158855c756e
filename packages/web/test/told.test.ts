import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { useGallery } from './browser.ts';

const openGallery = useGallery();
let page: Page;

beforeEach(async () => {
  page = await openGallery();
});

test('[ASK3] a program’s message to the person is shown as a message, under the name of the tool', async () => {
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
  expect(await findViolations(page)).toEqual([]);
});
