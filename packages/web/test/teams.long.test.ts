import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { launchBrowser, openTab, openWindow } from './browser.ts';
import { Parley } from './parley.ts';

let browser: Browser;
let parley: Parley;
let tab: Tab;
let owner: Page;
let created: string[] = [];
const urls: Record<string, string> = {};
const others: Page[] = [];

beforeAll(async () => {
  const server = new Parley('--plugin', 'packages/web/test/plugins/desk.mjs');
  [browser, parley] = await Promise.all([launchBrowser(), server.start()]);
  for (const name of ['Ann', 'Bob']) urls[name] = await parley.urlFor('responder', '--name', name);
  const hello = { token: parley.token };
  tab = await Tab.open(new URL('/ws', parley.url.replace('http', 'ws')).href, { hello });
  owner = await logIn(parley.url);
});

afterEach(async () => {
  for (const page of others.splice(0)) await page.context().close();
  for (const sessionId of created) await tab.ask({ type: 'delete_session', sessionId });
  created = [];
});

afterAll(async () => {
  await browser.close();
  await parley.stop();
});

/** Opens a tab in a browser of its own and waits for its token to be exchanged for a cookie. */
async function logIn(url: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1180, height: 820 } })).newPage();
  await Promise.all([page.waitForResponse(/\/api\/login$/), openTab(page, url)]);
  return page;
}

/** Starts a session of the owner in which these calls wait for people. @returns its address */
async function ask(title: string, call: string): Promise<string> {
  const sessionId = await tab.createSession();
  created.push(sessionId);
  await tab.ask({ type: 'update_session', sessionId, title });
  await tab.follow(sessionId);
  await tab.say(sessionId, `/call ${call}`);
  const { interactionId } = await tab.prompt(sessionId);
  return new URL(`/s/${sessionId}/${interactionId}`, parley.url).href;
}

async function enterAs(name: 'Ann' | 'Bob', url: string): Promise<Page> {
  const page = await logIn(urls[name] ?? '');
  others.push(page);
  return openTab(page, url);
}

const inboxUrl = () => new URL('/inbox', parley.url).href;
const count = (page: Page) => page.locator('parley-card').getByRole('status').filter({ hasText: 'approvals' });

test('[TEAM3, WEB3] the votes change live for a second person in the session, and their vote decides', async () => {
  const url = await ask('Site', 'desk_release {}');
  const [ann, bob] = [await enterAs('Ann', url), await enterAs('Bob', url)];
  await openTab(owner, url);
  await count(bob).getByText('0 of 2 approvals; your no decides.').waitFor();
  await ann.getByRole('button', { name: 'Allow once' }).click();
  await count(ann).getByText('1 of 2 approvals: you approved and can change that.').waitFor();
  await count(bob).getByText('1 of 2 approvals: Ann approved; you can decide.').waitFor();
  const given = ann.getByRole('button', { name: 'Approved', pressed: true }); // given already: no other press is invited
  await given.waitFor();
  await ann.getByText('The agent is waiting for somebody else’s answer.').waitFor();
  expect(await ann.getByText(/needs you|\d waiting/i).count()).toBe(0);
  expect(await ann.getByRole('button', { name: 'I am on it' }).count()).toBe(0);
  expect(await given.getAttribute('class')).not.toContain('primary');
  await ann.getByText('A message: the agent reads it after the answer').waitFor(); // text written now would not deny
  await bob.getByText('Reason for:').waitFor();
  await bob.getByRole('button', { name: 'Allow once' }).click();
  for (const page of [owner, ann, bob]) {
    const receipt = page.locator('parley-card details.receipt');
    await receipt.getByText('Allowed once, 2 of 2 approvals').waitFor();
    await receipt.locator('summary').click();
    await receipt.getByText('Ann approved and Bob approved and decided.').waitFor();
  }
});

test('[INT5, INT18] what was half-typed when another person answered can be copied, even if the page was closed', async () => {
  const url = await ask('Mail', 'collect_email {}');
  const [ann, bob] = [await enterAs('Ann', url), await enterAs('Bob', url)];
  const lost = bob.getByRole('status').filter({ hasText: 'was not used' });
  await bob.getByRole('textbox', { name: 'Email' }).fill('bob@exam');
  await bob.goto('about:blank');
  await ann.getByRole('textbox', { name: 'Email' }).fill('ann@example.org');
  await ann.getByRole('textbox', { name: 'Email' }).press('Enter');
  await ann.locator('parley-card .receipt').getByText('by you').waitFor();
  await bob.goBack();
  await lost.getByText('Ann answered first: ann@example.org. Yours (bob@exam) was not used').waitFor();
  await lost.getByRole('button', { name: 'Copy your answer' }).waitFor();
  expect(await ann.getByText('was not used').count()).toBe(0);
});

test('[WEB5, WEB8] a person who begins to type before a link has led to its prompt goes on typing', async () => {
  const url = await ask('Mail', 'collect_email {}');
  const bob = await logIn(urls.Bob ?? '');
  others.push(bob);
  await bob.addInitScript(() => {
    const { whenDefined } = customElements;
    const told = new Promise<void>((resolve) => Object.assign(window, { tell: resolve }));
    customElements.whenDefined = async (name) => {
      if (name === 'parley-card') await told; // as on a slow network, until the test goes on
      return whenDefined.call(customElements, name);
    };
  });
  await openTab(bob, url);
  const field = bob.getByRole('textbox', { name: 'Email' });
  await field.focus();
  await bob.keyboard.type('joh');
  await bob.evaluate(async () => {
    (window as unknown as { tell: () => void }).tell();
    for (let frame = 0; frame < 10; frame += 1) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
  await bob.keyboard.type('n');
  expect(await field.inputValue()).toBe('john');
});

test('[WEB5, INT5] if a person goes on typing after another person answered first, the keys trigger no shortcuts', async () => {
  await ask('Next', 'desk_ask {}');
  const url = await ask('Mail', 'collect_email {}');
  const [ann, bob] = [await enterAs('Ann', url), await enterAs('Bob', url)];
  const pass = (ms: number) =>
    bob.evaluate((passed) => {
      const now = performance.now() + passed;
      performance.now = () => now; // a busy machine must not cause a pause in typing
    }, ms);
  await bob.getByRole('textbox', { name: 'Email' }).focus();
  await pass(0);
  await bob.keyboard.type('joh');
  await ann.getByRole('textbox', { name: 'Email' }).fill('ann@example.org');
  await ann.getByRole('textbox', { name: 'Email' }).press('Enter');
  const receipt = bob.locator('parley-card details.receipt');
  await receipt.locator('summary:focus').waitFor();
  await bob.keyboard.type('n?');
  expect(await bob.getByRole('dialog').count()).toBe(0);
  expect(bob.url()).toBe(url);
  await pass(2000); // the word has ended
  await bob.keyboard.type('n');
  await bob.getByRole('heading', { name: 'Which word?' }).waitFor();
});

test('[TEAM3, WEB8] the votes change in the rows of an inbox that follows no session, and stay there', async () => {
  await ask('Shop', 'desk_ask {}');
  const url = await ask('Site', 'desk_release {}');
  const ann = await enterAs('Ann', url);
  const bob = await enterAs('Bob', inboxUrl());
  const row = bob.locator('parley-inbox-page').getByRole('button', { name: /Release 2\.1/ });
  await row.getByText('0 of 2 approvals').waitFor();
  await ann.getByRole('button', { name: 'Allow once' }).click();
  await row.getByText('1 of 2 approvals', { exact: true }).waitFor();
  const aside = await openWindow(ann.context());
  await openTab(aside, inboxUrl());
  await aside.locator('parley-inbox-page').getByText('1 of 2 approvals: you approved').first().waitFor();
  await aside.close();
  await bob.reload();
  await row.getByText('1 of 2 approvals').waitFor();
  await openTab(bob, new URL('/', parley.url).href);
  await bob.getByRole('region', { name: 'Needs you' }).getByText('1 of 2 approvals').waitFor();
  await ann.getByRole('button', { name: 'Deny' }).click();
  await bob.getByRole('region', { name: 'Needs you' }).getByText('Release 2.1?').first().waitFor({ state: 'detached' });
});

test('[TEAM4] "Ann is on it" is shown in another window and in the inbox until she releases it or somebody answers', async () => {
  await ask('Site', 'desk_release {}');
  const url = await ask('Shop', 'desk_ask {}');
  const [ann, bob] = [await enterAs('Ann', url), await enterAs('Bob', url)];
  await openTab(owner, inboxUrl());
  const row = owner.locator('parley-inbox-page').getByRole('button', { name: /Which word/ });
  await row.waitFor();
  const onIt = bob.locator('parley-claim').getByText('Ann is on it.');

  await ann.getByRole('button', { name: 'I am on it' }).click();
  await ann.getByText('You are on it.').waitFor();
  await onIt.waitFor();
  await row.getByText('Ann is on it').waitFor();
  await bob.reload();
  await onIt.waitFor(); // later visitors see it, too

  await ann.getByRole('button', { name: 'Not any more' }).click();
  await onIt.waitFor({ state: 'detached' });
  await row.getByText('Ann is on it').waitFor({ state: 'detached' });

  await ann.getByRole('button', { name: 'I am on it' }).click();
  await onIt.waitFor();
  const word = bob.getByRole('textbox', { name: 'Word' });
  await word.fill('tea'); // the claim blocks nobody
  await word.press('Control+Enter');
  for (const page of [ann, bob]) {
    await page.locator('parley-card details.receipt').waitFor();
    expect(await page.getByText('on it').count()).toBe(0);
  }
  await row.waitFor({ state: 'detached' });
});

test('[TEAM4] a claim ends by itself after five minutes, and with a prompt that nobody answers', async () => {
  const url = await ask('Shop', 'desk_ask {}');
  const ann = await enterAs('Ann', url);
  const bob = await logIn(urls.Bob ?? '');
  others.push(bob);
  await bob.clock.install();
  let isHeld = false;
  await bob.routeWebSocket(/\/ws/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((frame) => isHeld || socket.send(frame));
  });
  await openTab(bob, url);
  await bob.locator('parley-claim').waitFor();
  await ann.getByRole('button', { name: 'I am on it' }).click();
  const onIt = bob.locator('parley-claim').getByText('Ann is on it.');
  await onIt.waitFor();
  isHeld = true; // the server's clock did not jump, and would correct this one
  await bob.clock.fastForward('05:01');
  await onIt.waitFor({ state: 'detached' });
  await bob.getByRole('button', { name: 'I am on it' }).waitFor();
  isHeld = false;
  await bob.reload();

  const [sessionId = ''] = created;
  await tab.ask({ type: 'cancel_turn', sessionId });
  for (const page of [ann, bob]) {
    await page.locator('parley-card .receipt').getByText('Cancelled: no longer needed').waitFor();
    expect(await page.getByText('on it').count()).toBe(0);
  }
});
