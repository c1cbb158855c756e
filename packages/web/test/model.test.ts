import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FakeMessagesApi, say } from '../../../plugins/anthropic/src/testing/index.ts';
import { launchBrowser, openPage } from './browser.ts';
import { Parley } from './parley.ts';

const parley = new Parley('--no-auth', '--agent', 'anthropic', '--model', 'claude-test');
let api: FakeMessagesApi;
let browser: Browser;

beforeAll(async () => {
  api = await FakeMessagesApi.start();
  parley.env = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: api.url };
  [browser] = await Promise.all([launchBrowser(), parley.start()]);
});

afterAll(async () => {
  await Promise.all([browser.close(), parley.stop()]);
  await api.close();
});

test('[AGT2, WEB1] the cost of a turn, and that it was stopped, are shown below its text', async () => {
  const page = await openPage(browser, parley.url);
  const composer = page.getByLabel('Message', { exact: true });
  const usage = { input_tokens: 7, output_tokens: 3, cache_read_input_tokens: 1000 };
  api.script({ content: [say('Good morning.')], usage });
  await composer.fill('Hello');
  await composer.press('Enter');
  const cost = page.getByText('1,007 tokens read, 1,000 from cache · 3 written');
  await cost.waitFor();
  const top = async (locator: ReturnType<typeof page.getByText>) => (await locator.boundingBox())?.y ?? Number.NaN;
  expect(await top(page.getByText('Good morning.'))).toBeLessThan(await top(cost));

  api.script({ content: [say('One two three four five six seven eight nine')], fault: { kind: 'stall', after: 2 } });
  await composer.fill('Count');
  await composer.press('Enter');
  const words = page.getByText('One two', { exact: false });
  await words.waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  const stopped = page.getByText('Stopped.');
  await stopped.waitFor();
  expect(await top(words)).toBeLessThan(await top(stopped));
  await page.reload();
  await Promise.all([stopped.waitFor(), words.waitFor()]);
  expect(await top(words)).toBeLessThan(await top(stopped));
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/cost.png` });
});
