import { text } from 'node:stream/consumers';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { verifyReceipt } from '../../server/src/auth/receipt-envelope.ts';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab, openWindow, pressUntilGone } from './browser.ts';
import { Parley } from './parley.ts';

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const log = { name: 'log.txt', mimeType: 'text/plain', buffer: Buffer.from('E42') };

let browser: Browser;
let parley: Parley;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--no-auth').start()]);
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

const card = (tab = page) => tab.locator('parley-card article');
const attach = () => page.getByRole('button', { name: 'Attach files', exact: true });
const control = () => page.locator('parley-attachments input[type="file"]');
const remove = (name: string) => page.getByRole('button', { name: `Remove ${name}` });
const deny = () => page.getByRole('button', { name: 'Deny', exact: true });

async function ask(call = 'delete_files {"files":["notes.txt"]}'): Promise<void> {
  const composer = page.getByLabel('Message', { exact: true });
  await composer.fill(`/call ${call}`);
  await composer.press('Enter');
  await card().waitFor();
  await page.waitForURL(/\/s\//);
}

/** Pastes or drops a picture on the card, as a browser reports it. */
async function bring(type: 'paste' | 'drop'): Promise<void> {
  await page.locator('parley-card').evaluate(
    (element, [kind, data]) => {
      const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], 'image.png', { type: 'image/png' }));
      const init = { bubbles: true, cancelable: true, composed: true };
      const event =
        kind === 'paste'
          ? new ClipboardEvent(kind, { ...init, clipboardData: transfer })
          : new DragEvent(kind, { ...init, dataTransfer: transfer });
      element.dispatchEvent(event);
    },
    [type, pixel] as const,
  );
}

test('[REV6] files are chosen, pasted, removed and sent with a denial; both tabs show them', async () => {
  await ask();
  const other = await openTab(await openWindow(context), page.url());
  await attach().click();
  expect(await control().evaluate((input) => input.matches(':focus'))).toBe(true);
  await control().setInputFiles([log]);
  await remove('log.txt').waitFor();
  await bring('paste');
  await remove('image.png').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await pressUntilGone(deny());
  const receipt = page.locator('.receipt summary');
  await receipt.getByText('Denied, 2 files').waitFor();
  await receipt.click();
  const picture = page.locator('parley-given-files img');
  await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
  await other.locator('.receipt summary').getByText('Denied, 2 files').waitFor();
});

test('[REV6] a picture that is dropped on a question goes with its answer, also after a reload', async () => {
  await ask('ask_user {"question":"What does it look like?"}');
  await bring('drop');
  await remove('image.png').waitFor();
  await page.reload();
  await remove('image.png').waitFor();
  await page
    .getByRole('textbox', { name: 'What does it look like?' })
    .or(page.locator('#field-answer'))
    .first()
    .fill('Like this.');
  await pressUntilGone(page.getByRole('button', { name: 'OK', exact: true }));
  await page.locator('.receipt summary').getByText('Like this., 1 file').waitFor();
});

test('[REV6] an answer waits for a file that is being uploaded, and says so', async () => {
  await ask();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/interactions/*/files', async (route) => {
    await held;
    await route.continue();
  });
  await attach().click();
  await control().setInputFiles([log]);
  const isHeldBack = async () => {
    await deny().click(); // a press right after the buttons have moved is ignored (SEC5)
    return page.getByText('A file is not uploaded yet.').isVisible();
  };
  await expect.poll(isHeldBack, { timeout: 30_000 }).toBe(true);
  expect(await card().isVisible()).toBe(true);
  release();
  await remove('log.txt').waitFor();
  await pressUntilGone(deny());
  await page.locator('.receipt summary').getByText('Denied, 1 file').waitFor();
});

test('[SIGN3] an answered prompt links to its signed receipt, which the browser saves', async () => {
  await ask();
  await pressUntilGone(deny());
  await page.locator('.receipt summary').click();
  const link = page.getByRole('link', { name: 'Signed receipt' });
  const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
  expect(download.suggestedFilename()).toMatch(/^receipt-.+\.json$/);
  const { receipt } = await verifyReceipt(await text(await download.createReadStream()));
  expect(receipt).toMatchObject({ toolName: 'delete_files', settlement: { payload: { action: 'deny' } } });
  expect(await findViolations(page)).toEqual([]);
});
