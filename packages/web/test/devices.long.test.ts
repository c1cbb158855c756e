import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NarrowProxy } from '../../server/test/support/narrow-proxy.ts';
import { findViolations } from './axe.ts';
import { launchBrowser, openPage } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley().start()]);
});
afterAll(async () => {
  await browser.close();
  await parley.stop();
});

/** Opens the dialog by keyboard: opens the menu, moves through it, and leaves it. */
async function openDevices(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Account' }).press('Enter');
  const item = page.getByRole('button', { name: 'Devices' });
  await expect
    .poll(async () => {
      await page.keyboard.press('ArrowDown');
      return item.evaluate((it) => it.matches(':focus'));
    })
    .toBe(true);
  await page.keyboard.press('Enter');
}

test('[SEC9] the page lists the devices that are logged in, and logs out one or all others', async () => {
  const address = `${new URL(parley.url).origin}/#token=${parley.token}`;
  const [here, phone, tablet] = [
    await openPage(browser, parley.url),
    await openPage(browser, address, { userAgent: 'Mozilla/5.0 (iPhone) Safari/605' }),
    await openPage(browser, address, { userAgent: 'Mozilla/5.0 (Android 15) Firefox/140' }),
  ];
  for (const page of [here, phone, tablet]) await page.getByRole('button', { name: 'Account' }).waitFor();
  await phone.waitForLoadState('networkidle');
  await openDevices(here);
  const items = here.locator('parley-devices li');
  await here.getByRole('button', { name: 'Log out Safari on iPhone' }).waitFor();
  expect(await items.count()).toBe(3);
  expect(await items.filter({ hasText: 'this device' }).count()).toBe(1);
  expect(await findViolations(here)).toEqual([]);

  await here.getByRole('button', { name: 'Log out Safari on iPhone' }).click();
  await phone.getByLabel('Token').waitFor();
  await here.getByRole('button', { name: 'Log out all others' }).click();
  await tablet.getByLabel('Token').waitFor();
  await here.getByRole('button', { name: 'Log out all others' }).waitFor({ state: 'detached' });
  expect(await items.allInnerTexts()).toEqual([expect.stringContaining('this device')]);
  await Promise.all([here, phone, tablet].map((page) => page.context().close()));
});

test('[WEB5] after ending a device, and after closing the list, the focus stays where the person was, on a phone too', async () => {
  const address = `${new URL(parley.url).origin}/#token=${parley.token}`;
  const here = await openPage(browser, address, { viewport: { width: 390, height: 844 } });
  const other = await openPage(browser, address, { userAgent: 'Mozilla/5.0 (iPhone) Safari/605' });
  await other.getByRole('button', { name: 'Account' }).waitFor();
  const hasFocus = (name: string | RegExp) => here.getByRole('button', { name }).evaluate((it) => it.matches(':focus'));
  await openDevices(here);
  await here.getByRole('button', { name: 'Log out Safari on iPhone' }).click();
  await other.getByLabel('Token').waitFor();
  const heading = here.getByRole('heading', { name: 'Devices' });
  expect((await here.locator('dialog[open] parley-handle').boundingBox())?.height).toBe(24); // the sheet can be dragged down
  await expect.poll(() => heading.evaluate((it) => it.matches(':focus'))).toBe(true);
  await here.keyboard.press('Escape');
  await expect.poll(() => hasFocus('Account')).toBe(true);
  await openDevices(here);
  await here.getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => hasFocus('Account')).toBe(true);
  await Promise.all([here, other].map((page) => page.context().close()));
});

test('[TRN1, WEB2] through a proxy that refuses WebSockets the page logs in, asks and answers as usual', async () => {
  const proxy = await NarrowProxy.before(() => Number(new URL(parley.url).port));
  const page = await openPage(browser, `${proxy.origin}/#token=${parley.token}`);
  await page.getByLabel('Message', { exact: true }).fill('/call ask_user {"question":"Tea?","options":["Yes","No"]}');
  await page.getByLabel('Message', { exact: true }).press('Enter');
  await page.getByRole('radio', { name: 'Yes' }).click();
  await page.locator('parley-card').getByText('Submitted').waitFor();
  expect(proxy.tried).toBeGreaterThan(1);
  expect(proxy.paths).toEqual(expect.arrayContaining(['/api/login', '/api/stream', '/api/frames']));
  await page.context().close();
});
