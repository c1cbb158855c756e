import { execFile } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createToken } from '../../server/test/support/command.ts';
import { useServer } from '../../server/test/support/use-server.ts';
import { findViolations } from './axe.ts';
import { launchBrowser, openPage } from './browser.ts';

const server = useServer({ args: [] });
let browser: Browser;
let page: Page;

beforeAll(async () => {
  browser = await launchBrowser();
  page = await openPage(browser, server.ready.url, { permissions: ['clipboard-read', 'clipboard-write'] });
});
afterAll(() => browser.close());

const ways = () => page.getByRole('listitem').filter({ has: page.getByRole('button', { name: /^Copy the line/ }) });
const copied = () => page.evaluate(() => navigator.clipboard.readText());

test('[ASK7, ASK8] the start page shows newcomers, in a line each, how their own agent can ask here', async () => {
  await expect.poll(() => ways().allTextContents()).toHaveLength(9);
  await page.getByText('Parley also runs agents itself').waitFor();
  const copy = page.getByRole('button', { name: 'Copy the line: Claude Code' });
  await copy.focus();
  await page.keyboard.press('Enter');
  await page.getByText('Copied the line for Claude Code.').waitFor();
  expect(await copied()).toBe(`parley connect claude --url ${server.httpUrl}`);
  await page.keyboard.press('Tab');
  await page.keyboard.press(' ');
  await page.getByText('Copied the line for Codex.').waitFor();
  expect(await copied()).toBe(`parley connect codex --url ${server.httpUrl}`);
});

test('[WEB8] a first visit shows a sample prompt to answer at once, which belongs to no session', async () => {
  const sent: unknown[] = [];
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(payload)));
  await page.reload();
  const sample = page.getByRole('region', { name: 'This is how an agent asks' });
  const allow = sample.getByRole('button', { name: 'Allow once' });
  const press = async () => {
    await allow.click({ timeout: 1000 }).catch(() => undefined); // works a moment after it was in view (WEB7)
    return sample.getByText('the agent goes on with your answer').count();
  };
  await expect.poll(press, { interval: 700, timeout: 20_000 }).toBe(1);
  await sample.locator('.receipt').getByText('by you').waitFor();
  expect(sent.filter((frame) => !/"(hello|ping|activity)"/.test(String(frame)))).toEqual([]);
});

test.each([
  ['light', 1180, 820],
  ['dark', 390, 664],
] as const)(
  '[WEB5] axe finds no violations in the section, and nothing is cut: %s, %i px',
  async (colorScheme, width, height) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' }); // colours change at once
    await page.setViewportSize({ width, height });
    expect(await findViolations(page)).toEqual([]);
    const rows = page.locator('parley-own-agent li');
    const surplus = await rows.evaluateAll((all) => all.map((row) => row.scrollWidth - row.clientWidth));
    expect(Math.max(...surplus)).toBeLessThanOrEqual(0);
    for (const element of [rows.last(), page.getByRole('heading', { name: 'What should the agent do?' })]) {
      await element.scrollIntoViewIfNeeded();
      const { y = -1, height: size = 0 } = (await element.boundingBox()) ?? {};
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + size).toBeLessThanOrEqual(height);
    }
  },
);

test('[ASK8] the copied line for plain HTTP asks', async () => {
  const { token } = await createToken(server.dataDir, '--role', 'asker');
  await page.getByRole('button', { name: 'Copy the line: Plain HTTP' }).click();
  await page.getByText('Copied the line for Plain HTTP.').waitFor();
  const env = { PATH: process.env.PATH, PARLEY_ASK_TOKEN: token };
  const line = await copied();
  const tab = await server.open({ hello: { token: server.ready.token } }); // before the prompt, to be notified of it
  const asking = new Promise<string>((resolve) => {
    execFile('sh', ['-c', line], { env }, (_, stdout) => resolve(stdout));
  });
  const { sessionId, interaction } = await tab.waitFor('interaction_opened');
  await tab.answer(sessionId, interaction, { action: 'submit', input: { answer: 'tea' } });
  expect(JSON.parse(await asking)).toMatchObject({ status: 'done', result: { ok: true, answer: 'tea' } });
});

test('[WEB5] without a clipboard the line is selected, and the page says so', async () => {
  await page.setViewportSize({ width: 1180, height: 820 });
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('There is none here.'));
  });
  await page.getByRole('button', { name: 'Copy the line: Codex' }).click();
  await page.getByText('The line for Codex is selected').waitFor();
  expect(await page.evaluate(() => String(getSelection()))).toContain('parley connect codex');
});
