import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openPage, serveGallery } from './browser.ts';

let browser: Browser;
let site: Awaited<ReturnType<typeof serveGallery>>;

beforeAll(async () => {
  [browser, site] = await Promise.all([launchBrowser(), serveGallery()]);
});

afterAll(async () => {
  await browser.close();
  await site.close();
});

const tick = (page: Page, title: string) => page.getByRole('dialog').getByRole('checkbox', { name: new RegExp(title) });

test('[APR5, INT8] an approval left out of a joint answer stays out when it is asked again', async () => {
  const page = await openPage(browser, site.url);
  await page.evaluate(() => {
    for (const id of ['a', 'b', 'c'])
      window.gallery.ask(`${id}.1`, { interactionType: 'approval', title: `Do ${id}?` });
  });
  await page.getByRole('button', { name: 'Review together' }).click();
  await tick(page, 'Do b').uncheck();
  await page.evaluate(() => {
    window.gallery.append({
      type: 'interaction_closed',
      payload: { interactionId: 'b.1', toolCallId: 'b', reason: 'superseded', replacedBy: 'b.2' },
      turnId: 't1',
    });
    window.gallery.ask('b.2', { interactionType: 'approval', title: 'Do b again?', replaces: 'b.1' });
  });
  await page.getByRole('heading', { name: 'Do b again?', includeHidden: true }).waitFor({ state: 'attached' });
  await page.evaluate(() => window.gallery.call('d')); // any other change
  await tick(page, 'Do b again').waitFor();
  expect(await tick(page, 'Do b again').isChecked()).toBe(false);
  expect(await tick(page, 'Do a').isChecked()).toBe(true);
  await page.context().close();
});

test.each([
  [[true, true], 'the agent reads it only if you deny'],
  [[true, false], 'some agents read it only if you deny'],
  [[false, false], 'the agent reads it'],
])('[REV2] the reason for several, of which denials alone have words in %j, says who reads it', async (only, words) => {
  const page = await openPage(browser, site.url);
  await page.evaluate((only) => {
    for (const [n, wordsOnlyWithDenial] of only.entries())
      window.gallery.ask(`${n}.1`, {
        interactionType: 'approval',
        ...(wordsOnlyWithDenial && { wordsOnlyWithDenial }),
      });
  }, only);
  await page.getByRole('button', { name: 'Review together' }).click();
  await page.getByLabel(`Reason for all of them (${words})`, { exact: true }).waitFor();
  await page.context().close();
});
