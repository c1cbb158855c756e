import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openTab } from './browser.ts';
import { Parley } from './parley.ts';

/** A tool that asks anybody except the requester, in a hidden call. */
const source = `export default {
  name: 'doors',
  tools: [{
    name: 'review',
    description: 'Asks for a second pair of eyes.',
    parameters: { type: 'object' },
    handler: (_, ctx) => ctx.requestInteraction({
      type: 'input',
      prompt: 'What do you think of them?',
      inputSchema: { type: 'form', fields: [{ id: 'word', type: 'text', label: 'Word' }] },
      presentation: 'composer',
      audience: { exclude: ['requester'] },
      visibility: 'audience',
      onUnavailable: 'wait',
    }),
  }],
}`;

const folder = mkdtempSync(join(tmpdir(), 'parley-hidden-'));
const plugin = join(folder, 'doors.mjs');
let browser: Browser;
let parley: Parley;
let owner: Page;
let other: Page;

beforeAll(async () => {
  writeFileSync(plugin, source);
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--plugin', plugin).start()]);
  owner = await logIn(parley.url);
});

afterAll(async () => {
  await browser.close();
  await parley.stop();
  rmSync(folder, { recursive: true });
});

async function logIn(url: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1180, height: 820 } })).newPage();
  await Promise.all([page.waitForResponse(/\/api\/login$/), openTab(page, url)]);
  return page;
}

const quiet = (page: Page) => page.getByText('Hidden: for somebody else to answer.', { exact: true });

test('[TEAM1] a hidden call is a line for the requester, live and after a reload, and a card for the person asked', async () => {
  await owner.goto(new URL('/', parley.url).href);
  const composer = owner.getByLabel('Message', { exact: true });
  await composer.fill('/call review');
  await composer.press('Enter');
  await owner.waitForURL(/\/s\//);
  await quiet(owner).waitFor();
  const isAlone = async () => {
    expect(await quiet(owner).count()).toBe(1);
    expect(await owner.locator('parley-tool, parley-card').count()).toBe(0);
    expect(await owner.getByText(/needs? you/i).count()).toBe(0);
    expect(await owner.getByRole('img', { name: 'The agent is working' }).count()).toBe(0);
    expect(await owner.content()).not.toContain('What do you think of them?');
  };
  await isAlone();
  await owner.reload();
  await quiet(owner).waitFor();
  await isAlone();

  other = await openTab(await logIn(await parley.urlFor('responder')), owner.url());
  await other.getByRole('textbox', { name: 'Word' }).fill('splendid');
  await other.getByRole('button', { name: 'OK' }).click();
  await other.getByText('Submitted').first().waitFor();
  expect(await quiet(other).count()).toBe(0);

  await owner
    .getByText(/splendid/)
    .first()
    .waitFor(); // the agent describes the result in its own words
  expect(await quiet(owner).count()).toBe(1);
  expect(await owner.locator('parley-tool, parley-card').count()).toBe(0);
});
