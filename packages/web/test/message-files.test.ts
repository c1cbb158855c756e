import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab, openWindow } from './browser.ts';
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
  await say('Hello');
  await page.waitForURL(/\/s\//);
});

afterEach(() => context.close());

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

const composer = (tab = page) => tab.getByLabel('Message', { exact: true });
const clip = () => page.getByRole('button', { name: 'Attach files to the message' });
const control = () => page.locator('parley-attachments input[type="file"]');
const remove = (name: string) => page.getByRole('button', { name: `Remove ${name}` });
const given = (tab = page) => tab.locator('.message parley-given-files');

async function say(text: string): Promise<void> {
  await composer().fill(text);
  await composer().press('Enter');
}

/** Pastes a picture into the message box, as a browser reports it. */
async function paste(): Promise<void> {
  await composer().evaluate((element, data) => {
    const bytes = Uint8Array.from(atob(data), (sign) => sign.charCodeAt(0));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([bytes], 'image.png', { type: 'image/png' }));
    const init = { bubbles: true, cancelable: true, composed: true, clipboardData };
    element.dispatchEvent(new ClipboardEvent('paste', init));
  }, pixel);
}

test('[REV6] a pasted picture and a chosen file are sent with a message; both tabs show them', async () => {
  const other = await openTab(await openWindow(context), page.url());
  await clip().click();
  expect(await control().evaluate((input) => input.matches(':focus'))).toBe(true);
  await control().setInputFiles([log]);
  await remove('log.txt').waitFor();
  await paste();
  await remove('image.png').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await say('What is wrong here?');
  for (const tab of [page, other]) {
    await tab.getByText('What is wrong here?').waitFor();
    await given(tab).getByRole('link', { name: 'log.txt' }).waitFor();
    const picture = given(tab).locator('img');
    await expect.poll(() => picture.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
  }
  await control().waitFor({ state: 'detached' });
});

test('[REV6] a message may be a picture alone, and what is attached survives a reload', async () => {
  await paste();
  await remove('image.png').waitFor();
  await page.reload();
  await remove('image.png').waitFor();
  expect(await clip().getAttribute('aria-expanded')).toBe('true');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await given().locator('img').waitFor();
  await expect.poll(() => page.locator('.message').count()).toBe(2);
});

test('[REV6] before there is a session, files begin one, with the words and the files in its box', async () => {
  await openTab(page, parley.url);
  await composer().fill('Look at this');
  await paste();
  await page.waitForURL(/\/s\//);
  await remove('image.png').waitFor();
  await expect.poll(() => composer().inputValue()).toBe('Look at this');
  await composer().press('Enter');
  await given().getByText('image.png').waitFor();
  await page.getByRole('heading', { name: 'Look at this' }).waitFor();

  await openTab(page, parley.url);
  expect(await composer().inputValue()).toBe('');
  const choosing = page.waitForEvent('filechooser');
  await clip().click();
  await (await choosing).setFiles([log]);
  await page.waitForURL(/\/s\//);
  await remove('log.txt').waitFor();
  await page.getByRole('heading', { name: 'log.txt' }).waitFor();
});

test('[REV6, WEB9] what has files stays a message when a question opens, and comes back with them from the queue', async () => {
  await say('/call ask_human {"question":"Which tea?"}');
  await page.locator('parley-card article').waitFor();
  await page.getByRole('button', { name: 'Write a message instead' }).click();
  await clip().click();
  await control().setInputFiles([log]);
  await remove('log.txt').waitFor();
  await say('Later');
  const queue = page.getByRole('list', { name: 'Queued messages' });
  await queue.getByText('Attached: log.txt (3 bytes)').waitFor();
  await queue.getByRole('button', { name: 'Take back' }).click();
  await remove('log.txt').waitFor();
  await expect.poll(() => composer().inputValue()).toBe('Later');
  await page.getByText('A message: the agent reads it after the answer').waitFor();
});

test('[REV6] a message waits for its files', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/sessions/*/files', async (route) => {
    await held;
    await route.continue();
  });
  await paste();
  await page.getByText('0 %').waitFor();
  await say('Look');
  await page.getByRole('alert').getByText('Wait for it, or remove it, and send again.').waitFor();
  release();
  await remove('image.png').waitFor();
  await composer().press('Enter');
  await given().locator('img').waitFor();
});

test('[REV6, INT19] what is taken back goes to the box of its session, although another one is on the page', async () => {
  const other = new URL(page.url()).pathname;
  await page.goto(parley.url);
  await say('/call ask_human {"question":"Which tea?"}');
  await page.locator('parley-card article').waitFor();
  const first = page.url();
  await page.getByRole('button', { name: 'Write a message instead' }).click();
  await clip().click();
  await control().setInputFiles([log]);
  await remove('log.txt').waitFor();
  await say('Later');
  const takeBack = page.getByRole('button', { name: 'Take back' });
  await takeBack.waitFor();
  await page.evaluate((path) => {
    const find = (root: ParentNode, name: string): HTMLElement | undefined => {
      for (const element of root.querySelectorAll<HTMLElement>('*')) {
        if (element.localName === 'button' && element.textContent?.trim() === name) return element;
        const inside = element.shadowRoot && find(element.shadowRoot, name);
        if (inside) return inside;
      }
      return undefined;
    };
    find(document, 'Take back')?.click();
    history.pushState(null, '', path); // at once, as a quick person does
    dispatchEvent(new PopStateEvent('popstate'));
  }, other);
  await page.getByText('Hello', { exact: true }).first().waitFor();
  await page.getByText('Later').waitFor({ state: 'detached' });
  expect(await composer().inputValue()).toBe('');
  await page.goto(first);
  await remove('log.txt').waitFor();
  expect(await composer().inputValue()).toBe('Later');
});

test('[REV6, WEB5] the focus stays in the control when the last file is removed', async () => {
  await paste();
  await remove('image.png').waitFor();
  await page.reload();
  await remove('image.png').click();
  await expect.poll(() => control().evaluate((input) => input.matches(':focus'))).toBe(true);
});

test('[REV6] more than ten files are refused before anything is sent, and the box stays low', async () => {
  await clip().click();
  await control().setInputFiles(Array.from({ length: 11 }, (_, n) => ({ ...log, name: `log-${n}.txt` })));
  for (let n = 0; n < 11; n += 1) await remove(`log-${n}.txt`).waitFor();
  await say('All of them');
  await page.getByRole('alert').getByText('At most 10 files can be sent.').waitFor();
  const box = await page.locator('parley-composer').boundingBox();
  expect(box?.height).toBeLessThan(360);
  await remove('log-3.txt').click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  await composer().press('Enter');
  await given().getByRole('link', { name: 'log-10.txt' }).waitFor();
});

test('[REV6] files that are dropped where nothing takes them leave the page as it is', async () => {
  const wasKept = await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File(['x'], 'image.png', { type: 'image/png' }));
    const drop = new DragEvent('drop', { bubbles: true, cancelable: true, composed: true, dataTransfer });
    document.body.dispatchEvent(drop);
    return drop.defaultPrevented;
  });
  expect(wasKept).toBe(true);
});
