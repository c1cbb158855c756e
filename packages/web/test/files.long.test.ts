import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab, openWindow } from './browser.ts';
import { Parley } from './parley.ts';

const plugin = fileURLToPath(new URL('plugins/papers.mjs', import.meta.url));
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const text = (name: string, size: number) => ({ name, mimeType: 'text/plain', buffer: Buffer.alloc(size, 'a') });
const picture = { name: 'pixel.png', mimeType: 'image/png', buffer: pixel };

let browser: Browser;
let parley: Parley;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--no-auth', '--plugin', plugin).start()]);
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1180, height: 820 } });
  page = await openTab(await context.newPage(), parley.url);
});

afterEach(() => context.close());

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

const papers = (tab = page) => tab.locator('input[type="file"]');
const submit = (tab = page) => tab.getByRole('button', { name: 'OK', exact: true }).click();
const remove = (name: string) => page.getByRole('button', { name: `Remove ${name}` });

async function ask(field: object = {}): Promise<void> {
  const composer = page.getByLabel('Message', { exact: true });
  await composer.fill(`/call send_papers ${JSON.stringify(field)}`);
  await composer.press('Enter');
  await papers().waitFor({ state: 'attached' });
}

test('[PLG13a] files are chosen, uploaded, removed and submitted; the receipt has downloads, and shows pictures', async () => {
  await ask();
  expect(await page.locator('parley-file-field').getByRole('button', { name: 'Papers' }).getAttribute('type')).toBe(
    'file',
  );
  await papers().setInputFiles([text('one.txt', 300_000), picture]);
  await remove('one.txt').waitFor();
  await remove('pixel.png').waitFor();
  const names = () =>
    papers().evaluate((input) => Array.from((input as HTMLInputElement).files ?? [], (it) => it.name));
  await expect.poll(names).toEqual(['one.txt', 'pixel.png']); // the names that screen readers announce
  await papers().setInputFiles([text('wrong.txt', 3)]);
  await remove('wrong.txt').click();
  await remove('wrong.txt').waitFor({ state: 'detached' });
  await expect.poll(names).toEqual(['one.txt', 'pixel.png']);
  expect(await papers().evaluate((input) => input.matches(':focus'))).toBe(true);
  expect(await findViolations(page)).toEqual([]);
  await submit();
  await page.getByText(`send_papers returned: [300000,${pixel.length}]`).waitFor();
  await page.locator('.receipt summary').click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'one.txt' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('one.txt');
  expect((await buffer(await download.createReadStream())).length).toBe(300_000);
  const shown = page.getByRole('img', { name: 'pixel.png' });
  await shown.scrollIntoViewIfNeeded();
  await expect
    .poll(() => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth), { timeout: 30_000 })
    .toBe(1);
});

test('[PLG13a] a file that does not fit is explained, and a running upload blocks the form', async () => {
  await ask({ maxBytes: 200_000, accept: ['.txt'], max: 3 });
  await page.getByText('.txt, at most 3 files, 195 KB each').waitFor();
  await papers().setInputFiles([text('large.txt', 200_001)]);
  await page.locator('.fault').getByText('large.txt (195 KB) is too large: at most 195 KB.').waitFor();
  await submit();
  await page.locator('.error').getByText('A file cannot be used: remove it').waitFor();
  await remove('large.txt').click();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/uploads/*', async (route) => {
    await held;
    await route.continue();
  });
  await papers().setInputFiles([text('slow.txt', 100_000)]);
  await page.getByRole('progressbar', { name: 'Uploading slow.txt' }).waitFor();
  await submit();
  await page.locator('.error').getByText('A file is not there yet').waitFor();
  release();
  await remove('slow.txt').waitFor();
  await submit();
  await page.getByText('send_papers returned: [100000]').waitFor();
});

test('[PLG13a] after a broken connection the sent part is kept, and the upload can be resumed', {
  timeout: 90_000,
}, async () => {
  await ask();
  let sent = 0;
  let isBroken = true;
  await page.route('**/uploads/*', async (route) => {
    if (route.request().method() === 'PATCH' && sent < 1) {
      sent += 1;
      await route.continue();
    } else if (isBroken) await route.abort('connectionreset');
    else await route.continue();
  });
  await papers().setInputFiles([text('long.txt', 500_000)]);
  await page
    .locator('.fault')
    .getByText('The connection broke off. What was sent is kept.')
    .waitFor({ timeout: 60_000 });
  isBroken = false;
  const offsets: (string | undefined)[] = [];
  page.on('request', (request) => request.method() === 'PATCH' && offsets.push(request.headers()['upload-offset']));
  await page.getByRole('button', { name: 'Try again' }).click();
  await remove('long.txt').waitFor();
  expect(offsets[0]).toBe('65536');
  await submit();
  await page.getByText('send_papers returned: [500000]').waitFor();
});

test('[PLG13a, INT18] after a reload the form names the file that was being uploaded, and it must be chosen again', async () => {
  await ask();
  await page.waitForURL(/\/s\//);
  await papers().setInputFiles([text('done.txt', 10)]);
  await remove('done.txt').waitFor();
  await page.route('**/uploads/*', (route) => route.request().method() === 'PATCH' || route.continue()); // blocks all chunks
  await papers().setInputFiles([text('half.txt', 500_000), text('next.txt', 5)]);
  await page.getByRole('progressbar', { name: 'Uploading half.txt' }).waitFor();
  await page.unroute('**/uploads/*');
  await page.reload();
  const broken = (name: string) =>
    page.locator('.fault').getByText(`${name} was not sent to its end: choose it again.`);
  await broken('half.txt').waitFor();
  await broken('next.txt').waitFor();
  await submit();
  await page.locator('.error').getByText('A file cannot be used: remove it').waitFor();
  await remove('next.txt').click();
  await papers().setInputFiles([text('half.txt', 500_000)]);
  await broken('half.txt').waitFor({ state: 'detached' });
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  await submit();
  await page.getByText('send_papers returned: [10,500000]').waitFor();
  expect(await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('uploads')))).toEqual([]);
});

test('[PLG13a, INT4] if two tabs submit a file to one prompt, one wins, and both show its file', async () => {
  await ask({ multiple: false });
  await page.waitForURL(/\/s\//);
  const other = await openTab(await openWindow(context), page.url());
  await papers().setInputFiles([text('mine.txt', 10)]);
  await remove('mine.txt').waitFor();
  await papers(other).waitFor({ state: 'attached' });
  await papers(other).setInputFiles([text('theirs.txt', 20)]);
  await other.getByRole('button', { name: 'Remove theirs.txt' }).waitFor();
  await submit(other);
  await page.getByText('send_papers returned: [20]').waitFor();
  for (const tab of [page, other]) await tab.locator('.receipt').getByText('theirs.txt (20 bytes)').first().waitFor();
});
