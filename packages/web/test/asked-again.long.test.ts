import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { launchBrowser, openPage } from './browser.ts';
import { Parley } from './parley.ts';

const plugin = fileURLToPath(new URL('plugins/again.mjs', import.meta.url));
const phone = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } };
let browser: Browser;
let parley: Parley;
/** Another device of the same person. */
let other: Tab;
let page: Page;

beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--no-auth', '--plugin', plugin).start()]);
  other = await Tab.open(new URL('/ws', parley.url.replace('http', 'ws')).href);
});

afterEach(() => page.context().close());

afterAll(async () => {
  await other.close();
  await browser.close();
  await parley.stop();
});

/** Calls a tool that asks. @returns the session, as the other device sees it */
async function ask(tool: string, isHeld: boolean): Promise<string> {
  const sessionId = await other.createSession();
  await other.follow(sessionId);
  await other.say(sessionId, `/call ${tool} ${JSON.stringify({ isHeld })}`);
  await other.prompt(sessionId);
  return sessionId;
}

async function open(sessionId: string, options = {}): Promise<void> {
  page = await openPage(browser, new URL(`/s/${sessionId}`, parley.url).href, options);
}

async function answerElsewhere(sessionId: string, answer: object): Promise<void> {
  expect(await other.answer(sessionId, await other.prompt(sessionId), answer)).toMatchObject({ ok: true });
}

/** Lets the tool that handles the answer go on, and waits until it has asked again. */
async function release(): Promise<void> {
  await page.locator('.receipt').waitFor();
  await other.say(await other.createSession(), '/call release');
  await page.getByText('attempt 2').waitFor();
}

const box = (name: string) => page.getByRole('textbox', { name });
const hasFocus = (name: string) => box(name).evaluate((field) => field.matches(':focus'));

test.each([
  { device: 'a mouse', options: {}, place: 'at once', isHeld: false },
  { device: 'a mouse', options: {}, place: 'behind the receipt', isHeld: true },
  { device: 'a phone', options: phone, place: 'at once', isHeld: false },
  { device: 'a phone', options: phone, place: 'behind the receipt', isHeld: true },
])(
  '[INT8, WEB5] after answering with $device, the focus goes to the faulty field, $place',
  async ({ options, isHeld }) => {
    await open(await ask('collect', isHeld), options);
    await box('Email').fill('ada');
    await page.getByRole('button', { name: 'OK' }).click();
    if (isHeld) await release();
    await page.getByText('attempt 2').waitFor();
    await expect.poll(() => hasFocus('Email')).toBe(true);
    expect(await box('Email').inputValue()).toBe('ada');
  },
);

test('[INT8] a prompt that is asked again behind its receipt is complete at once: its button can be pressed', async () => {
  await open(await ask('collect', true));
  await page.evaluate(() => {
    const { animate } = Element.prototype;
    Element.prototype.animate = function (...motion) {
      const animation = animate.apply(this, motion);
      animation.playbackRate = 0.001; // so that a press comes before the animation ends
      return animation;
    };
  });
  await box('Email').fill('ada');
  await box('Email').press('Enter');
  await release();
  await page.getByRole('button', { name: 'Cancel' }).click({ timeout: 10_000 });
  await page.locator('.receipt').waitFor();
});

test('[WEB5, INT17] if somebody else answers while a person types, no other field gets the rest of the text', async () => {
  const sessionId = await ask('collect', true);
  await open(sessionId);
  await box('Note').pressSequentially('one two');
  await answerElsewhere(sessionId, { action: 'submit', input: { email: 'bad' } });
  await page.locator('.receipt').waitFor();
  await page.keyboard.type(' three');
  await release();
  await page.keyboard.type(' four');
  expect(await hasFocus('Email')).toBe(false);
  expect([await box('Email').inputValue(), await box('Note').inputValue()]).toEqual(['bad', 'one two']);
});

test('[INT5, WEB3] a person who answered too late is told that, and not that their own value is wrong', async () => {
  const sessionId = await ask('collect', false);
  const held: (() => void)[] = [];
  let isHolding = false;
  page = await openPage(browser, 'about:blank');
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => {
      if (isHolding) held.push(() => socket.send(message));
      else socket.send(message);
    });
  });
  await page.goto(new URL(`/s/${sessionId}`, parley.url).href);
  await box('Email').fill('ada@example.org');
  isHolding = true;
  await answerElsewhere(sessionId, { action: 'submit', input: { email: 'bad' } });
  await box('Email').press('Enter');
  await expect.poll(() => held.length).toBeGreaterThan(0);
  isHolding = false;
  for (const pass of held) pass();
  await page.getByText('attempt 2').waitFor();
  await page.getByText('Not accepted.').waitFor();
  expect(await box('Email').inputValue()).toBe('ada@example.org');
  expect(await box('Email').getAttribute('aria-invalid')).toBeNull();
  await page.getByRole('button', { name: 'OK' }).click();
  await page.getByText('collect returned:').waitFor();
});

test.each([
  { typed: 'an answer', tool: 'collect', field: 'Note', answer: { action: 'submit', input: { email: 'bad' } } },
  { typed: 'a reason', tool: 'insist', field: 'Reason', answer: { action: 'deny' } },
])(
  '[INT8, INT18] $typed that is half-typed survives somebody else’s attempt, and a reload',
  async ({ tool, field, answer }) => {
    for (const isHeld of [false, true]) {
      const sessionId = await ask(tool, isHeld);
      await open(sessionId);
      if (field === 'Reason') await page.getByRole('button', { name: 'Add a reason' }).click();
      await box(field).fill('half-typed');
      await answerElsewhere(sessionId, answer);
      if (isHeld) await release();
      for (const again of [() => page.reload(), () => page.context().close()]) {
        await page.getByText('attempt 2').waitFor();
        await expect.poll(() => box(field).inputValue()).toBe('half-typed');
        await again();
      }
    }
  },
);
