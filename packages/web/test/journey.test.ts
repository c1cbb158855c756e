import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab, openWindow } from './browser.ts';
import { hear, takeHeard } from './hearing.ts';
import { Parley } from './parley.ts';

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

const composer = (tab = page) => tab.getByLabel('Message', { exact: true });
const email = (tab = page) => tab.getByRole('textbox', { name: 'Email' });

async function say(text: string, tab = page): Promise<void> {
  await composer(tab).fill(text);
  await composer(tab).press('Enter');
}

const openSecondTab = async (url = page.url()) => openTab(await openWindow(context), url);

/** Waits for this tab's session. @returns its URL */
async function sessionUrl(): Promise<string> {
  await page.waitForURL(/\/s\//);
  return page.url();
}

test('[INT4] two tabs see one prompt; the first answer counts and the other tab shows it', async () => {
  await say('/call ask_user {"question": "Tea or coffee?", "options": ["tea", "coffee"]}');
  const other = await openSecondTab(await sessionUrl());
  await other.getByRole('radio', { name: 'coffee' }).click();
  await page.getByText(/Answered on another device or in another tab \(.* on /).waitFor();
  await page.getByText('ask_user returned:').waitFor();
  expect(await page.locator('parley-form').count()).toBe(0);
  await other.getByText('by you').waitFor();
});

test('[INT4] both tabs answer at the same moment: one wins, and both show its answer', async () => {
  await say('/call delete_files {"files": ["todo.txt"]}');
  const other = await openSecondTab(await sessionUrl());
  const buttons = await Promise.all(
    [page, other].map((tab) => tab.getByRole('button', { name: 'Deny' }).elementHandle()),
  );
  await Promise.all(buttons.map((button) => button?.dispatchEvent('click')));
  await Promise.all([page, other].map((tab) => tab.getByText('delete_files returned:').waitFor()));
  const elsewhere = await Promise.all([page, other].map((tab) => tab.getByText('Answered on another device').count()));
  expect(elsewhere.sort()).toEqual([0, 1]);
});

test('[RPL3] after a reload an open prompt is still open with its deadline, and an answer is readable', async () => {
  await say('/call collect_email');
  await email().waitFor();
  await page.reload();
  await email().waitFor();
  await page.getByText(/[45]:\d\d left/).waitFor();
  await email().fill('ada@example.org');
  await email().press('Enter');
  await page.getByText('collect_email returned:').waitFor();
  await page.reload();
  await page.getByText('by you').waitFor();
  await page.locator('.receipt').click();
  await page.locator('dd').getByText('ada@example.org').waitFor();
});

test('[INT18] a half-typed answer survives a reload and a reprompt, and reaches the other tab', async () => {
  await say('/call collect_email');
  const url = await sessionUrl();
  await email().fill('ada');
  const other = await openSecondTab(url);
  await email(other).waitFor();
  await email().pressSequentially('@');
  await expect.poll(() => email(other).inputValue()).toBe('ada@');
  await page.reload();
  await expect.poll(() => email().inputValue()).toBe('ada@');
  await email().press('Enter');
  await page.getByText('attempt 2').waitFor();
  expect(await email().inputValue()).toBe('ada@');
  await page.reload();
  await page.getByText('attempt 2').waitFor();
  expect(await email().inputValue()).toBe('ada@');
});

test('[INT19] a queued message is shown, edited and taken back, and returned when the turn is stopped', async () => {
  await say('/call collect_email');
  await page.getByRole('button', { name: 'Write a message instead' }).click();
  await say('Second');
  await say('Third');
  const queue = page.getByRole('list', { name: 'Queued messages' });
  await queue.getByText('Third').waitFor();
  await queue.getByRole('button', { name: 'Edit' }).first().click();
  await page.getByLabel('Queued message', { exact: true }).fill('Second, better');
  await page.getByRole('button', { name: 'Save' }).click();
  await queue.getByText('Second, better').waitFor();
  await queue.getByRole('button', { name: 'Take back' }).last().click();
  await expect.poll(() => composer().inputValue()).toBe('Third');
  await composer().fill('');
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped.').waitFor();
  await expect.poll(() => composer().inputValue()).toBe('Second, better');
  await page.getByText('Cancelled: no longer needed').waitFor();
});

test('[FRM4] the page survives a server restart: an answer given meanwhile arrives', async () => {
  await say('/call collect_email');
  await email().fill('ada@example.org');
  await parley.kill();
  await page.getByText('Reconnecting').waitFor();
  expect(await email().inputValue()).toBe('ada@example.org');
  await email().press('Enter');
  await page.getByText('Sending …').waitFor();
  await page.getByText('1 answer is kept here and sent afterwards.').waitFor();
  await parley.start();
  await page.getByText('collect_email returned:').waitFor();
  expect(await page.getByText('Reconnecting').count()).toBe(0);
});

test('[FRM4, WEB5] screen readers announce that the connection is lost, and that it is back', async () => {
  await hear(page);
  await page.goto(parley.url);
  await composer().waitFor();
  await parley.kill();
  await page.getByText('Reconnecting').waitFor();
  expect((await takeHeard(page)).join()).toContain('Connection lost');
  await parley.start();
  await expect.poll(async () => (await takeHeard(page)).join()).toContain('Connected again.');
});

test('[FRM6, DUR1] an unacknowledged answer survives its page and its server, and then counts', async () => {
  await say('/call collect_email');
  await email().fill('ada@example.org');
  await parley.kill();
  await page.getByText('Reconnecting').waitFor();
  await email().press('Enter');
  await page.getByText('Sending …').waitFor();
  const url = page.url();
  await page.goto('about:blank');
  await parley.start();
  await page.goto(url);
  await page.getByText('collect_email returned:').waitFor();
  await page.getByText('by you').waitFor();
});

test('[WEB6] a deep link leads to its prompt; n moves from session to session', async () => {
  await say('/call collect_email');
  await email().waitFor();
  const first = await sessionUrl();
  const id = await page.locator('parley-card').getAttribute('id');
  await page.getByRole('button', { name: 'New session' }).click();
  await say('/call ask_user {"question": "Why?"}');
  await page.getByRole('heading', { name: 'Why?', exact: true }).waitFor();
  const tab = await openSecondTab(`${first}/${id}`);
  const asked = tab.getByRole('heading', { name: 'What is your email address?' });
  await expect.poll(() => asked.evaluate((element) => element.matches(':focus'))).toBe(true);
  await expect
    .poll(async () => {
      await tab.keyboard.press('n');
      await tab.waitForTimeout(150);
      return tab.getByRole('heading', { name: 'Why?', exact: true }).count();
    })
    .toBe(1);
});

const hasFocus = (element: ReturnType<Page['locator']>) => element.evaluate((it) => it.matches(':focus'));

/** Shows the start page of a server without open prompts. */
async function goWhereNothingWaits(): Promise<void> {
  const quiet = new Parley('--no-auth');
  onTestFinished(() => quiet.stop());
  await quiet.start();
  await page.goto(quiet.url);
}

test('[WEB5] without open prompts the start page focuses its message box; m and the skip link lead there', async () => {
  await goWhereNothingWaits();
  await expect.poll(() => hasFocus(composer())).toBe(true);
  await page.keyboard.press('Escape');
  expect(await hasFocus(composer())).toBe(false);
  await page.keyboard.press('m');
  await expect.poll(() => hasFocus(composer())).toBe(true);
  await page.keyboard.type('m?');
  expect(await composer().inputValue()).toBe('m?');
  await page.getByRole('button', { name: 'Skip the list of sessions' }).press('Enter');
  await expect.poll(() => hasFocus(composer())).toBe(true);
});

test('[WEB5] ? shows the keyboard shortcuts', async () => {
  await goWhereNothingWaits();
  await expect.poll(() => hasFocus(composer())).toBe(true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Write a message').waitFor();
});

test('[WEB5] typed text triggers no shortcuts, and neither does a key in a dialog', async () => {
  await say('/call ask_user {"question": "Elsewhere?", "options": ["tea", "coffee"]}');
  await page.getByRole('heading', { name: 'Elsewhere?', exact: true }).waitFor();
  await page.getByRole('button', { name: 'New session' }).click();
  const home = page.url();
  await page
    .getByText(/\d waiting$/)
    .first()
    .waitFor();
  await composer().pressSequentially('nm?12');
  expect(await composer().inputValue()).toBe('nm?12');
  expect(await hasFocus(composer())).toBe(true);
  await composer().fill('');
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await dialog.waitFor();
  await page.keyboard.press('n');
  expect(page.url()).toBe(home);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.keyboard.press('n');
  await expect.poll(() => page.url()).not.toBe(home);
});

test('[WEB6] n goes to prompts of this session before those of others', async () => {
  await say('/call ask_user {"question": "Elsewhere?"}');
  await page.getByRole('heading', { name: 'Elsewhere?', exact: true }).waitFor();
  await page.getByRole('button', { name: 'New session' }).click();
  await say('/call ask_user {"question": "Here?"}');
  const here = page.getByRole('heading', { name: 'Here?', exact: true });
  await here.waitFor();
  await composer().press('Escape');
  await page.keyboard.press('n');
  await expect.poll(() => hasFocus(here)).toBe(true);
});

test('[WEB5] the focus moves from step to step of a form', async () => {
  await say('/call plan_trip');
  const heading = page.locator('parley-card h2');
  await heading.waitFor();
  const first = await heading.innerText();
  await page.getByRole('radio').first().focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await expect.poll(() => heading.allInnerTexts()).not.toEqual([first]);
  await expect.poll(() => hasFocus(heading)).toBe(true);
});

test('[FRM6] a message sent while disconnected is shown as waiting', async () => {
  await say('Hello there');
  await page.getByText('I am a scripted demo').waitFor();
  await parley.kill();
  await page.getByText('Reconnecting').waitFor();
  await say('Are you there?');
  await page.getByText('Waiting for the connection').waitFor();
  await page.getByText('1 message is kept here and sent afterwards.').waitFor();
  await parley.start();
  await page.locator('.bubble').getByText('Are you there?').waitFor();
  await page.getByText('Waiting for the connection').waitFor({ state: 'detached' });
});

test('[INT15] turning interaction off explains the consequences, and a tall form opens at its top', async () => {
  await say('/call all_fields');
  await page.getByRole('heading', { name: 'Every kind of field' }).waitFor();
  await page.locator('parley-transcript .scroll').hover();
  await page.mouse.wheel(0, 300);
  await expect.poll(() => page.locator('.scroll').evaluate((it) => it.scrollTop)).toBeGreaterThan(200);
  expect(await page.getByRole('button', { name: 'Latest' }).count()).toBe(0);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('switch', { name: 'Answer in this tab' }).click();
  const notice = page.getByText('Prompts fail if no other tab can answer them.');
  await notice.waitFor();
  await page.getByRole('switch', { name: 'Answer in this tab' }).click();
  await notice.waitFor({ state: 'detached' });
});

test('[WEB6] a hidden tab shows the count in its title and icon', async () => {
  await say('/call collect_email');
  await email().waitFor();
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expect.poll(() => page.title()).toMatch(/^\(\d+\) /);
  expect(await page.locator('#favicon').getAttribute('href')).toMatch(/^data:image\/svg/);
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => false });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expect.poll(() => page.title()).toMatch(/^[^(]/);
});

test('[OPS5] a session can be renamed, and deleted after confirmation', async () => {
  await say('Hello there');
  await page.getByText('I am a scripted demo').waitFor();
  const title = page.locator('h1');
  await title.getByRole('button', { name: 'Hello there' }).press('Enter');
  const field = page.getByRole('textbox', { name: 'Title of the session' });
  await expect.poll(() => hasFocus(field)).toBe(true);
  await field.fill('Not this');
  await field.press('Escape');
  await title.getByText('Hello there').waitFor();
  expect(await hasFocus(title.getByRole('button'))).toBe(true);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name: 'Rename' }).click();
  await field.fill('Renamed by a test');
  await field.press('Enter');
  await page.getByRole('heading', { name: 'Renamed by a test' }).waitFor();
  expect(await hasFocus(title.getByRole('button'))).toBe(true);
  const other = await openSecondTab();
  await other.getByRole('heading', { name: 'Renamed by a test' }).waitFor();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
  await other.getByText('This session does not exist').waitFor();
  await other.getByRole('link', { name: 'Go to the start page' }).click();
  await other.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
});

test('[EVT4] streamed text is visible while it is written, and shown once when it is done', async () => {
  await say('/stream 30 40');
  const text = page.locator('parley-markdown');
  await text.first().waitFor();
  const length = () => text.first().evaluate((element) => element.shadowRoot?.textContent?.length ?? 0);
  await expect.poll(length).toBeGreaterThan(5);
  const early = await length();
  await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
  expect(await length()).toBeGreaterThan(early);
  expect(await text.count()).toBe(1);
});

test.each(['light', 'dark'] as const)('[WEB5] axe finds no violations in the whole page: %s', async (colorScheme) => {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // colours change at once
  await say('/call collect_email');
  await email().waitFor();
  expect(await findViolations(page)).toEqual([]);
});

test('[APR5] approvals answered together each get an answer of their own', async () => {
  await say('/call delete_files {"files": ["notes.txt"]}\n/call delete_files {"files": ["todo.txt"]}');
  await page.getByText('2 approvals are open').waitFor();
  await page.getByRole('button', { name: 'Review together' }).click();
  for (const box of await page.getByRole('dialog').getByRole('checkbox').all()) await box.check(); // high risk starts unticked
  await page.getByRole('button', { name: 'Deny 2' }).click();
  await page.getByText('delete_files returned:').first().waitFor();
  expect(await page.locator('.receipt').filter({ hasText: 'Denied' }).count()).toBe(2);
});

test('[SEC2] the code in the address logs in once; then, and with a wrong token, the page asks for the token', async () => {
  const guarded = await new Parley().start();
  const stranger = await openTab(
    await (await browser.newContext()).newPage(),
    `${new URL(guarded.url).origin}/#token=wrong`,
  );
  await stranger.getByText('The token in this address is invalid or has expired.').waitFor();
  const card = await stranger.locator('parley-login form').boundingBox();
  const width = stranger.viewportSize()?.width ?? 0;
  expect(card?.width).toBeGreaterThan(340);
  expect(Math.abs((card?.x ?? 0) + (card?.width ?? 0) / 2 - width / 2)).toBeLessThan(2);
  await stranger.getByLabel('Token').fill('nonsense');
  await stranger.getByRole('button', { name: 'Log in' }).click();
  await stranger.getByText('This token is invalid').waitFor();
  await stranger.getByLabel('Token').fill(guarded.token ?? '');
  await stranger.getByRole('button', { name: 'Log in' }).click();
  await stranger.getByRole('heading', { name: 'What should the agent do?' }).waitFor();
  const owner = await openTab(await (await browser.newContext()).newPage(), guarded.url);
  const examples = owner.getByRole('group', { name: 'Things to try' }); // the server sends them after the log-in
  await examples.waitFor();
  expect(owner.url()).not.toContain('#');
  await owner.goBack(); // the history does not have the address, either
  expect(owner.url()).not.toContain('code');
  await owner.goto(guarded.url);
  await expect.poll(() => owner.url()).not.toContain('#'); // the page loads again
  await examples.waitFor();
  const late = await openTab(await (await browser.newContext()).newPage(), guarded.url);
  await late.getByText('This address logs in once, and was used.').waitFor();
  await late.context().close();
  await owner.getByRole('button', { name: 'Account' }).click();
  await Promise.all([owner.waitForEvent('load'), owner.getByRole('button', { name: 'Log out' }).click()]);
  await owner.getByLabel('Token').waitFor();
  await owner.reload();
  await owner.getByLabel('Token').waitFor();
  await Promise.all([stranger.context().close(), owner.context().close(), guarded.stop()]);
});
