import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, test } from 'vitest';
import { Tab } from '../../server/test/support/tab.ts';
import { launchBrowser } from './browser.ts';
import { Parley } from './parley.ts';

const script = fileURLToPath(new URL('../../../plugins/acp/test/fake-agent.mjs', import.meta.url));
const modes = { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask first' }] };
const models = { currentModelId: 'm1', availableModels: [{ modelId: 'm1', name: 'Small model' }] };
let folder: string;
let parley: Parley;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-acp-'));
  const config = join(folder, 'parley.json');
  const env = { FAKE_ACP_STATE: join(folder, 'state.json'), FAKE_ACP: JSON.stringify({ modes, models }) };
  const agents = { fake: { command: process.execPath, args: [script], env, modes: { default: 'ask' } } };
  await writeFile(config, JSON.stringify({ agent: 'fake', pluginConfigs: { acp: { agents } } }));
  parley = new Parley('--no-auth', '--config', config);
  [browser] = await Promise.all([launchBrowser(), parley.start()]);
});
afterAll(async () => {
  await browser.close();
  await parley.stop();
  await rm(folder, { recursive: true });
});

test('[ACP1] the page shows the plan, mode, model, commands, calls and usage of an agent', async () => {
  const tab = await Tab.open(`ws://${new URL(parley.url).host}/ws`);
  const session = await tab.createSession();
  await tab.follow(session);
  const page: Page = await browser.newPage();
  await page.goto(`${parley.url}s/${session}`);
  await tab.say(session, 'commands:init_review plan run:ls usage say:Bye');
  const transcript = page.locator('parley-transcript');
  await transcript.getByText('Mode: Ask first').waitFor();
  await transcript.getByText('Model: Small model').waitFor();
  await transcript.getByText('Commands: /init, /review').waitFor();
  for (const step of ['☑ Boil', '☐ Pour']) await transcript.getByRole('listitem').getByText(step).waitFor();
  await transcript.getByText('execute').first().waitFor();
  await transcript.getByText('Bye', { exact: true }).waitFor();
  await transcript.getByText('1,200 of 200,000 tokens of context · 0.01 USD').waitFor();
});
