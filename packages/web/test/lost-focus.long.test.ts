import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { launchBrowser, openTab, openWindow } from './browser.ts';
import { hear, takeHeard } from './hearing.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [browser, parley] = await Promise.all([
    launchBrowser(),
    new Parley('--no-auth', '--plugin', 'docs/examples/parrot.ts').start(),
  ]);
});

beforeEach(async () => {
  context = await browser.newContext({ viewport: { width: 1180, height: 820 } });
  page = await context.newPage();
  await hear(page);
  await openTab(page, parley.url);
});

afterEach(() => context.close());

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

const composer = () => page.getByLabel('Message', { exact: true });

async function say(text: string): Promise<void> {
  await composer().fill(text);
  await composer().press('Enter');
}

async function press(name: string | RegExp, exact = true): Promise<void> {
  const button = page.getByRole('button', { name, exact });
  await button.focus();
  await button.press('Enter');
}

/** The name of what has the focus, or its text; undefined where nothing has it. */
function readFocus(tab = page): Promise<string | null | undefined> {
  return tab.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element === document.body
      ? undefined
      : (element?.getAttribute('aria-label') ?? element?.id) || element?.textContent?.trim();
  });
}

const expectFocus = (name: string) => expect.poll(() => readFocus()).toBe(name);

async function hearUntil(words: string): Promise<string[]> {
  const heard: string[] = [];
  await expect.poll(async () => heard.push(...(await takeHeard(page))) && heard.join('\n')).toContain(words);
  return heard;
}

/** Chooses in the palette what is found with these words. */
async function goBy(words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a session or an action' }).fill(words);
  await page.getByRole('option', { name: words }).first().waitFor();
  await page.keyboard.press('Enter');
}

test('[WEB5] whoever sends, stops or edits by button stays where the next thing is done, and hears what is queued', async () => {
  await say('/call ask_user {"question": "Busy?"}');
  await page.getByRole('heading', { name: 'Busy?' }).waitFor();
  await composer().fill('First');
  await press('Send');
  await expectFocus('Message');
  await page.keyboard.type('Second');
  await page.keyboard.press('Enter');
  await hearUntil('2 messages are queued');
  const queue = page.getByRole('list', { name: 'Queued messages' });
  await queue.getByRole('button', { name: 'Edit' }).first().press('Enter');
  await expectFocus('Queued message');
  await page.keyboard.press('Escape');
  await expectFocus('Edit');
  await page.keyboard.press('Enter');
  await page.keyboard.type('First, better');
  await page.keyboard.press('Enter');
  await queue.getByText('First, better').waitFor();
  await expectFocus('Edit');
  await queue.getByRole('button', { name: 'Take back' }).last().press('Enter');
  await expectFocus('Message');
  await expect.poll(() => composer().inputValue()).toBe('Second');
  await composer().fill('');
  await press('Stop');
  await page.getByText('Stopped.').waitFor();
  await expectFocus('Message');
});

test('[WEB5, WEB8] the palette leads into what it opens, and where nothing is written m and the skip link lead to what there is', async () => {
  await say('Palette target');
  await page.getByText('I am a scripted demo').waitFor();
  await goBy('Inbox');
  await page.waitForURL(/inbox$/);
  await expectFocus('Needs you');
  expect(await page.title()).toBe('Inbox · Parley');
  await page.getByRole('link', { name: 'Parley', exact: true }).focus();
  await page.keyboard.press('m');
  await expectFocus('Needs you');
  await press('Skip the list of sessions');
  await expectFocus('Needs you');
  await goBy('Palette target');
  await page.waitForURL(/\/s\//);
  await expectFocus('Message');
});

test('[WEB5] a notice that goes with its button leaves the focus in the room', async () => {
  await say('Hello');
  await page.getByText('I am a scripted demo').waitFor();
  await press('More');
  await page.getByRole('switch', { name: 'Answer in this tab' }).press('Enter');
  await page.getByRole('status').filter({ hasText: 'This tab does not answer' }).waitFor();
  await page.keyboard.press('Escape');
  await press('Answer here');
  await expectFocus('Message');
});

test('[WEB5] a session that is deleted elsewhere says so to whoever is in it', async () => {
  await say('/call ask_user {"question": "Still here?"}');
  await page.getByRole('textbox', { name: 'Answer' }).focus();
  const other = await openTab(await openWindow(context), page.url());
  await other.getByRole('button', { name: 'More' }).click();
  await other.getByRole('button', { name: 'Delete', exact: true }).click();
  await other.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expectFocus('This session does not exist');
  await hearUntil('This session does not exist');
});

test('[WEB5] whoever stays in the list hears what opened beside it', async () => {
  await say('/call ask_user {"question": "Still here?"}');
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
  await page.getByRole('link', { name: 'Needs you · 1' }).press('Enter');
  await hearUntil('Opened: Inbox');
  await expectFocus('Needs you · 1');
});

test('[WEB5] digits choose from the conversation, where Escape in the message box leads', async () => {
  await say('/call ask_user {"question": "Which colour?", "options": ["red", "blue"]}');
  await page.getByRole('radio', { name: 'blue' }).waitFor();
  await composer().press('Escape');
  await expectFocus('Conversation');
  await page.keyboard.press('2');
  await expectFocus('field-answer-1');
});

test('[WEB5] whoever deletes a session goes on in the message box for a new one', async () => {
  await say('/call ask_user {"question": "Still here?"}');
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
  await press('More');
  await press('Delete');
  const sure = page.getByRole('dialog', { name: 'Delete this session?' }).getByRole('button', { name: 'Delete' });
  await sure.press('Enter');
  await page.getByText('What should the agent do?').waitFor();
  await expectFocus('Message');
});

test('[WEB5, INT9] whoever is in a form when its time is up hears that it can still be answered, and stays in it', async () => {
  await say('/call survey {"timeoutMs": 1500}');
  const rating = page.getByRole('spinbutton', { name: 'Rating' });
  await rating.focus();
  await page.keyboard.type('4');
  const heard = await hearUntil('Feedback can still be answered');
  expect(heard.filter((words) => words.includes('somebody else'))).toEqual([]);
  await expectFocus('field-rating');
  await page.keyboard.press('Enter');
  await page.getByText('late answer').first().waitFor();
});

test('[WEB5] whoever is elsewhere hears that a question timed out', async () => {
  await say('/call quick_question {"timeoutMs": 1000}');
  await hearUntil('Timed out: nobody answered in time Quick');
});

test('[WEB5, WEB9] on a phone a session begins with what is asked: no keyboard comes over it, and the words have the room', async () => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  page = await openTab(await (await browser.newContext(phone)).newPage(), parley.url);
  await composer().fill('/call delete_files {"files": ["notes.txt"]}');
  await page.getByRole('button', { name: 'Send' }).tap();
  await page.getByRole('button', { name: 'Deny' }).waitFor();
  await expect.poll(() => readFocus()).toMatch(/^Sessions/);
  const stop = await page.getByRole('button', { name: 'Stop', exact: true }).boundingBox();
  expect(stop).toMatchObject({ width: 44, height: 44 });
  const { top, bottom } = await composer().evaluate((area) => {
    const { paddingTop, paddingBottom } = getComputedStyle(area);
    return { top: paddingTop, bottom: paddingBottom };
  });
  expect([top, bottom]).toEqual(['10px', '10px']); // one line of 24 px stands in the middle of 44
  await page.context().close();
});

test('[WEB8] where there are several agents, the start page says what the chosen one is', async () => {
  const choice = page.getByRole('combobox', { name: 'Agent' });
  await page.getByText('A scripted demo: no model, no key, no cost.').waitFor();
  await choice.selectOption('parrot');
  await page.getByText('Says everything twice, after asking.').waitFor();
});

test('[WEB5] the browser’s way back leads to where something is done, from the inbox as from a session', async () => {
  await say('/call ask_user {"question":"Well?"}');
  await page.getByRole('heading', { name: 'Well?' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('inbox');
  await page.getByRole('option', { name: 'Inbox' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => readFocus()).toMatch(/^Needs you/);
  await page.goBack();
  await expectFocus('Message');
  await page.goForward();
  await expect.poll(() => readFocus()).toMatch(/^Needs you/);
});
