import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openTab } from './browser.ts';
import { Parley } from './parley.ts';

const plugin = fileURLToPath(new URL('../../server/test/plugins/asking.mjs', import.meta.url));

let browser: Browser;
let parley: Parley;
beforeAll(async () => {
  [browser, parley] = await Promise.all([launchBrowser(), new Parley('--plugin', plugin).start()]);
});
afterAll(async () => {
  await browser.close();
  await parley.stop();
});

interface Call {
  readonly status: 'open' | 'done';
  readonly sessionId: string;
  readonly toolCallId: string;
}

async function ask(callId: string, query = ''): Promise<Call & object> {
  const response = await fetch(new URL(`/api/calls${query}`, parley.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${parley.token}` },
    body: JSON.stringify({
      channel: 'nightly',
      callId,
      toolName: 'ask_one',
      args: { question: 'Ship it?' },
      from: { name: 'Nightly build', detail: 'main' },
    }),
  });
  return (await response.json()) as Call;
}

/** Opens the session of a call in a new tab. */
async function open({ sessionId }: Call): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 390, height: 844 } })).newPage();
  await Promise.all([page.waitForResponse(/\/api\/login$/), openTab(page, await parley.urlFor('operator'))]);
  return openTab(page, new URL(`/s/${sessionId}`, parley.url).href);
}

test('[ASK1] a program’s question is answered in the page, which says who asks and where to talk to it', async () => {
  const page = await open(await ask('first'));
  await page.getByText('asked by “Nightly build”, a program of owner (main)').waitFor();
  await page.getByText('This program runs elsewhere').waitFor();
  expect(await page.getByLabel('Message', { exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('button', { name: 'Permissions', exact: true }).click(); // permission modes do not apply to programs
  const permissions = page.getByRole('dialog', { name: 'What runs without asking' });
  await permissions.getByText('Nothing is allowed for longer than one time').waitFor();
  expect(await permissions.getByRole('radio').count()).toBe(0);
  await permissions.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('textbox', { name: 'Answer' }).fill('yes');
  await page.getByRole('button', { name: 'OK' }).click();
  await page.locator('parley-card').getByText('Submitted').waitFor();
  expect(await ask('first', '?wait=60')).toMatchObject({ status: 'done', result: { answer: 'yes' } });
});

test('[ASK4] a question that its program withdraws closes in the page with a reason', async () => {
  const call = await ask('second');
  const page = await open(call);
  await page.getByRole('textbox', { name: 'Answer' }).waitFor();
  await fetch(new URL(`/api/calls/${call.toolCallId}?note=Not%20needed`, parley.url), {
    method: 'DELETE',
    headers: { authorization: `Bearer ${parley.token}` },
  });
  await page.locator('parley-card').getByText('Withdrawn: “Not needed”').last().waitFor();
});

test('[ASK1] stopping the calls of a program stops all of them', async () => {
  const call = await ask('third');
  const page = await open(call);
  await page.getByRole('button', { name: 'Stop its calls' }).click();
  expect(await ask('third', '?wait=60')).toMatchObject({ status: 'done', error: { code: 'cancelled' } });
  await page.getByRole('button', { name: 'Stop its calls' }).waitFor({ state: 'detached' });
});

test('[ASK7, APR2] a command that Claude Code wants to run is edited as plain text, and runs as edited', async () => {
  const sessionId = randomUUID();
  const asking = fetch(new URL('/hooks/claude', parley.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${parley.token}` },
    body: JSON.stringify({
      hook_event_name: 'PermissionRequest',
      session_id: sessionId,
      cwd: '/projects/shop',
      tool_name: 'Bash',
      tool_input: { command: 'echo "one"', description: 'Say one' },
    }),
  }).then((response) => response.json());
  const page = await openTab(await (await browser.newContext()).newPage(), await parley.urlFor('operator'));
  await page.getByRole('link', { name: 'Run echo' }).first().click();
  const card = page.locator('parley-card');
  await card.getByText('“Say one”').waitFor();
  expect((await card.locator('.eyebrow').innerText()).replace(/\s+/g, ' ')).toBe('Claude Code shop');
  await page.getByRole('button', { name: 'Edit the command' }).click();
  const editor = page.getByRole('textbox', { name: /^The command/ });
  expect(await editor.inputValue()).toBe('echo "one"');
  await editor.fill('echo "two"');
  await page.getByRole('button', { name: 'Allow once' }).click();
  expect(await asking).toMatchObject({
    hookSpecificOutput: {
      decision: { behavior: 'allow', updatedInput: { command: 'echo "two"', description: 'Say one' } },
    },
  });
  const receipt = page.locator('parley-card');
  await receipt.getByText('edited').first().click();
  await receipt.getByText('echo "two"').waitFor();
});

test('[ASK7, ASK9] a question that is answered in the terminal closes in the page with a reason', async () => {
  const hook = (part: object) =>
    fetch(new URL('/hooks/claude', parley.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${parley.token}` },
      body: JSON.stringify({ session_id: sessionId, ...part }),
    });
  const sessionId = randomUUID();
  const use = { tool_name: 'Bash', tool_input: { command: 'touch here' } };
  const asking = hook({ hook_event_name: 'PermissionRequest', cwd: '/projects/garden', ...use });
  const page = await openTab(await (await browser.newContext()).newPage(), await parley.urlFor('operator'));
  await page.getByRole('link', { name: 'Run touch here' }).first().click();
  await page.getByRole('button', { name: 'Allow once' }).waitFor();
  await hook({ hook_event_name: 'Stop' });
  await page.locator('parley-card').getByText('Withdrawn: “Answered in the terminal”').waitFor();
  expect(await (await asking).json()).toEqual({});
});
