import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { launchBrowser, openPage } from './browser.ts';
import { Parley } from './parley.ts';

const parley = new Parley('--no-auth', '--plugin', fileURLToPath(new URL('plugins/bulk.mjs', import.meta.url)));
let browser: Awaited<ReturnType<typeof launchBrowser>>;
beforeAll(async () => {
  [browser] = await Promise.all([launchBrowser(), parley.start()]);
});
afterAll(async () => {
  await browser.close();
  await parley.stop();
});

test('[SEC11] the largest inbox, session and queue open on a phone of 390 px', async () => {
  const { host } = new URL(parley.url);
  const tab = await Tab.open(`ws://${host}/ws`);
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call ask_bulk {"count":60,"size":65000}');
  await tab.until(() => tab.events(session).filter(({ type }) => type === 'interaction_request').length === 60);
  for (let n = 0; n < 8; n += 1) await tab.say(session, 'q'.repeat(250_000));

  const size = { width: 390, height: 800 };
  const page = await openPage(browser, `${parley.url}s/${session}`, { viewport: size });
  await page.getByRole('list', { name: 'Queued messages' }).getByRole('listitem').nth(7).waitFor({ timeout: 40_000 });
  await page.getByRole('link', { name: 'Sessions, 60 waiting' }).click({ timeout: 20_000 });
  await page.getByRole('heading', { name: 'Needs you 60' }).waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(size.width);
  expect(tab.closeCode).toBeUndefined();
  await tab.close();
});
