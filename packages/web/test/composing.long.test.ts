import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser, openTab, useGallery } from './browser.ts';
import { Parley } from './parley.ts';
import { approval, database, input, oneField } from './samples.ts';

/**
 * Presses the key that ends a word of an input method, as Safari reports it: after the end of the composition. A real key press
 * would be a second one.
 */
const endWord = (field: Locator, key = 'Enter') =>
  field.evaluate((it, key) => {
    const event = { key, keyCode: 229, isComposing: false, bubbles: true, composed: true, cancelable: true };
    it.dispatchEvent(new KeyboardEvent('keydown', event as KeyboardEventInit));
  }, key);

/** Waits until the effect of a key is rendered. */
const settle = (page: Page) => page.evaluate(() => new Promise((done) => setTimeout(done, 100)));

describeCards();
describeApp();

function describeCards(): void {
  const openGallery = useGallery();

  async function ask(part: object): Promise<Page> {
    const page = await openGallery();
    await page.evaluate((part) => window.gallery.ask('c.1', part), part);
    return page;
  }
  const countAnswers = (page: Page) => page.evaluate(() => window.gallery.answers().length);

  test('[WEB5] Enter that ends the word of an input method submits no form', async () => {
    const page = await ask(input(oneField));
    const field = page.getByRole('textbox', { name: 'Email' });
    await field.fill('すし');
    await endWord(field);
    await settle(page);
    expect(await countAnswers(page)).toBe(0);
    await field.press('Enter');
    await expect.poll(() => countAnswers(page)).toBe(1);
  });

  test('[WEB5] … nor text next to a choice', async () => {
    const page = await ask(database());
    await page.getByRole('radio', { name: 'Other' }).click();
    const field = page.getByLabel('Other, in your own words');
    await field.fill('すし');
    await endWord(field);
    await settle(page);
    expect(await countAnswers(page)).toBe(0);
  });

  test('[WEB5] … does not leave the reason for Deny, and Escape does not leave the field', async () => {
    const page = await ask({ ...approval, reasonRequired: ['deny'] });
    const field = page.getByLabel(/^Reason/);
    await field.fill('だめ');
    await endWord(field);
    await endWord(field, 'Escape');
    await settle(page);
    expect(await field.evaluate((it) => it.matches(':focus'))).toBe(true);
  });

  test('[WEB5] … and does not step numbers', async () => {
    const page = await ask(input({ type: 'form', fields: [{ id: 'n', type: 'number', label: 'N' }] }));
    const field = page.getByRole('spinbutton', { name: 'N' });
    await field.fill('3');
    await endWord(field, 'ArrowUp');
    await settle(page);
    expect(await field.inputValue()).toBe('3');
    await field.press('ArrowUp');
    await expect.poll(() => field.inputValue()).toBe('4'); // the code for stepping is loaded with the first press
  });
}

function describeApp(): void {
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

  const composer = () => page.getByLabel('Message', { exact: true });
  const say = async (text: string) => {
    await composer().fill(text);
    await composer().press('Enter');
  };

  test('[WEB5] … sends no message, and does not change a queued one', async () => {
    await say('/call collect_email');
    await page.getByRole('button', { name: 'Write a message instead' }).click();
    await say('Second');
    await composer().fill('すし');
    await endWord(composer());
    await settle(page);
    expect(await composer().inputValue()).toBe('すし');
    const queue = page.getByRole('list', { name: 'Queued messages' });
    await queue.getByRole('button', { name: 'Edit' }).click();
    const field = page.getByLabel('Queued message', { exact: true });
    await field.fill('すし');
    await endWord(field);
    await endWord(field, 'Escape');
    await settle(page);
    expect(await field.inputValue()).toBe('すし');
  });

  test('[WEB5] … does not rename a session, and does not navigate', async () => {
    await say('Hello there');
    await page.getByText('I am a scripted demo').waitFor();
    const { href } = new URL(page.url());
    await page.locator('h1').getByRole('button').press('Enter');
    const title = page.getByRole('textbox', { name: 'Title of the session' });
    await title.fill('すし');
    await endWord(title);
    await endWord(title, 'Escape');
    await settle(page);
    expect(await title.inputValue()).toBe('すし');
    await title.press('Escape');

    const search = page.getByRole('searchbox', { name: 'Find a session' });
    await search.fill('Hello');
    await endWord(search, 'Escape');
    expect(await search.inputValue()).toBe('Hello');
    await endWord(search);

    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('combobox', { name: 'Find a session or an action' });
    await palette.fill('New');
    await endWord(palette);
    await settle(page);
    expect(await palette.inputValue()).toBe('New');
    await palette.press('Escape');
    expect(page.url()).toBe(href);
  });

  test('[WEB5] … and does not go to another search result', async () => {
    await say('Hello there');
    await page.getByText('I am a scripted demo').waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('log').or(page.locator('parley-transcript')).first().click();
    await page.keyboard.press('/');
    const bar = page.getByRole('searchbox', { name: /this session/ });
    await bar.fill('demo');
    await endWord(bar, 'Escape');
    await settle(page);
    expect(await bar.inputValue()).toBe('demo');
  });

  test('[WEB5] a title over the limit stays as it was typed, and shows the error', async () => {
    await say('Hello there');
    await page.getByText('I am a scripted demo').waitFor();
    await page.locator('h1').getByRole('button').press('Enter');
    const title = page.getByRole('textbox', { name: 'Title of the session' });
    await title.fill('x'.repeat(201));
    await title.press('Enter');
    expect(await title.inputValue()).toHaveLength(201);
    expect(await title.evaluate((it) => it.matches(':invalid'))).toBe(true);
    expect(await title.getAttribute('title')).toBe('At most 200 characters');
    await title.fill('x'.repeat(200));
    await title.press('Enter');
    await page.getByRole('heading', { name: 'x'.repeat(200) }).waitFor();
  });
}
