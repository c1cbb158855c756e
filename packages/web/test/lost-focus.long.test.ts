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

/** Returns the name or text of the focused element; undefined if there is none. */
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

/** Chooses the option that the palette finds for these words. */
async function goBy(words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a session or an action' }).fill(words);
  await page.getByRole('option', { name: words }).first().waitFor();
  await page.keyboard.press('Enter');
}

test('[WEB5] after sending, stopping or editing by button people can go on there, and the queue is announced', async () => {
  await say('/call ask_user {"question": "Busy?"}');
  await press('Write a message instead');
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

test('[WEB5, WEB8] the palette focuses what it opens; without a message box, m and the skip link focus the view', async () => {
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

test('[WEB5] a notice that disappears with its button leaves the focus in the main view', async () => {
  await say('Hello');
  await page.getByText('I am a scripted demo').waitFor();
  await press('More');
  await page.getByRole('switch', { name: 'Answer in this tab' }).press('Enter');
  await page.getByRole('status').filter({ hasText: 'This tab does not answer' }).waitFor();
  await page.keyboard.press('Escape');
  await press('Answer in this tab');
  await expectFocus('Message');
});

test('[WEB5] deleting a session elsewhere is reported to the people in it', async () => {
  await say('/call ask_user {"question": "Still here?"}');
  await page.getByRole('textbox', { name: 'Answer' }).focus();
  const other = await openTab(await openWindow(context), page.url());
  await other.getByRole('button', { name: 'More', exact: true }).click();
  await other.getByRole('button', { name: 'Delete', exact: true }).click();
  await other.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expectFocus('This session does not exist');
  await hearUntil('This session does not exist');
});

test('[WEB5] people who stay in the list get an announcement of what opened next to it', async () => {
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

test('[WEB5] after deleting a session, the focus is in the message box for a new one', async () => {
  await say('/call ask_user {"question": "Still here?"}');
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
  await press('More');
  await press('Delete');
  const sure = page.getByRole('dialog', { name: 'Delete this session?' }).getByRole('button', { name: 'Delete' });
  await sure.press('Enter');
  await page.getByText('What should the agent do?').waitFor();
  await expectFocus('Message');
});

test('[WEB5, INT9] if a prompt expires, its form keeps the focus, and an announcement says that it can be answered', async () => {
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

test('[WEB5] people elsewhere get an announcement that a question timed out', async () => {
  const timedOut = 'Timed out: nobody answered in time Quick';
  const ask = async (timeoutMs: number) => {
    await say(`/call quick_question {"timeoutMs": ${timeoutMs}}`);
    return hearUntil('returned: {"ok":false,"timedOut":true}');
  };
  let heard = await ask(1000);
  // on a busy machine a question may time out before the page has shown it
  for (let timeoutMs = 2000; !heard.some((words) => words.includes(timedOut)) && timeoutMs < 20_000; timeoutMs *= 2)
    heard = await ask(timeoutMs);
  expect(heard.join('\n')).toContain(timedOut);
});

test('[WEB5, WEB9] on a phone a session starts with its question, not covered by a keyboard', async () => {
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
  expect([top, bottom]).toEqual(['10px', '10px']); // one line of 24 px is centred in 44 px
  await page.context().close();
});

test('[WEB8] with several agents, the start page describes the chosen one', async () => {
  const choice = page.getByRole('combobox', { name: 'Agent' });
  await page.getByText('A scripted demo: no model, no key, no cost.').waitFor();
  await choice.selectOption('parrot');
  await page.getByText('Says everything twice, after asking.').waitFor();
});

test('[WEB5] the browser’s back button leads to where people can act, from the inbox as from a session', async () => {
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
