import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { pluginPath } from '../../server/test/support/journey.ts';
import { Tab } from '../../server/test/support/tab.ts';
import { findViolations } from './axe.ts';
import { launchBrowser, openTab, pressUntilGone } from './browser.ts';
import { Parley } from './parley.ts';

const reason = 'It only repeats <b>words</b>\u202e.';
let browser: Browser;
let parley: Parley;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-reviewer-'));
  const config = join(folder, 'parley.config.json');
  const script = `cat >/dev/null; printf '%s' '${JSON.stringify({ verdict: 'pass', reason })}'`;
  const policy = (tool: string, sample: number) => ({ tool, effect: 'review', reviewer: 'guard', sample });
  await writeFile(
    config,
    JSON.stringify({
      reviewers: [{ reviewer: 'command', name: 'guard', config: { command: ['sh', '-c', script] } }],
      policies: [policy('quiet', 0), policy('louder', 0), policy('sampled', 1)],
    }),
  );
  parley = new Parley('--no-auth', '--plugin', pluginPath('reviewed.mjs'), '--config', config);
  [browser] = await Promise.all([launchBrowser(), parley.start()]);
});

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});

afterAll(async () => {
  await browser.close();
  await parley.stop();
  await rm(folder, { recursive: true, force: true });
});

const open = () => Tab.open(new URL('/ws', parley.url.replace('http', 'ws')).href);

async function call(session: string, toolName: string, word = 'hi'): Promise<void> {
  const tab = await open();
  await tab.follow(session);
  const { seq } = await tab.say(session, `/call ${toolName} {"word":"${word}"}`);
  await tab.event(session, 'tool_call', undefined, seq);
  await tab.close();
}

async function begin(): Promise<{ page: Page; session: string }> {
  const tab = await open();
  const session = await tab.createSession();
  await tab.close();
  const page = await openTab(await browser.newPage(), new URL(`/s/${session}`, parley.url).href);
  return { page, session };
}

test('[LESS3] the transcript says who passed a call and why, and one press has people asked, also after a restart', async () => {
  const { page, session } = await begin();
  await call(session, 'quiet');
  const passed = page.locator('parley-passed');
  await expect
    .poll(() => passed.locator('p').first().textContent())
    .toBe('Passed by the reviewer “guard”: It only repeats <b>words</b>⟨U+202E⟩.');
  expect(await findViolations(page)).toEqual([]);
  await passed.getByRole('button', { name: 'Ask people about quiet from here on, in every session' }).click();
  await passed.getByText('People are asked from the next call on.').waitFor();
  await parley.kill();
  await parley.start();
  await call(session, 'quiet');
  await pressUntilGone(page.getByRole('button', { name: 'Deny' }));
  await passed.getByRole('button', { name: 'Show what holds' }).click();
  const list = page.locator('parley-permissions');
  await list.getByText('About each call of quiet, in every session.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await list.getByRole('button', { name: 'Let the reviewer pass again: quiet' }).click();
  await list.getByText('The reviewer may pass its calls again.').waitFor();
  await list.getByRole('button', { name: 'Close' }).click();
  await call(session, 'quiet', 'hello'); // not what was denied, which people are asked about again
  await expect.poll(() => passed.count()).toBe(2);
});

test('[LESS3] a card says why a reviewer did not pass the call; that it did is shown only on the receipt', async () => {
  const { page, session } = await begin();
  await call(session, 'louder');
  await page
    .getByText('Not passed by the reviewer “guard”: Its risk is medium, and the policy has only low risk reviewed.')
    .waitFor();
  await pressUntilGone(page.getByRole('button', { name: 'Deny' }));
  await call(session, 'sampled');
  const card = page.locator('parley-card').last();
  await card.getByRole('button', { name: 'Deny' }).waitFor();
  expect(await page.getByText('had passed it').count()).toBe(0);
  await pressUntilGone(card.getByRole('button', { name: 'Deny' }));
  await card.locator('.receipt summary').click();
  await card.getByText('The reviewer “guard” had passed it, and this was a sample: It only repeats').waitFor();
});
