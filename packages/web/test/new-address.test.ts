import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openPage } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley().start()]);
});

afterAll(() => Promise.all([browser.close(), parley.stop()]));

test('[SEC2] a fresh log-in address works when it is pasted over a used one that differs only after the #', async () => {
  const { origin } = new URL(parley.url);
  const page = await openPage(browser, `${origin}/#code=used`);
  await page.getByText('This address logs in once, and was used.').waitFor();
  await page.evaluate((url) => location.assign(url), parley.url);
  await page.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
  expect(page.url()).toBe(`${origin}/`);
});
