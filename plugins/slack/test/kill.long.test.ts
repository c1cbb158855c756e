import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParleyProcess, startParley } from '@parleyhq/client/process';
import { useInTest } from '@parleyhq/server/testing';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { isOpen } from './slack-message.ts';
import { appToken, botToken, SlackServer } from './slack-server.ts';

const question = { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] };

let workspace: SlackServer;
let parley: ParleyProcess;

/** Starts the built command with the configuration of docs/chat.md, and links Ann. */
beforeEach(async () => {
  workspace = await useInTest(new SlackServer());
  const folder = await mkdtemp(join(tmpdir(), 'parley-slack-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const config = JSON.parse(await readFile('docs/examples/slack.config.json', 'utf8'));
  config.notifiers[0].config.apiUrl = workspace.apiUrl;
  const file = join(folder, 'parley.config.json');
  await writeFile(file, JSON.stringify(config));
  parley = await startParley({
    args: ['--config', file],
    env: { PARLEY_NOTIFY_AFTER_MS: '20', SLACK_APP_TOKEN: appToken, SLACK_BOT_TOKEN: botToken },
  });
  onTestFinished(() => parley.stop());
  await parley.run('token', 'create', '--role', 'responder', '--name', 'ann');
  const { code } = JSON.parse((await parley.run('token', 'link', 'ann', '--json')).stdout);
  await workspace.connection();
  await workspace.say(`link ${code}`);
  await workspace.message(({ text }) => text.includes('linked to ann'));
});

/** Kills the server as soon as Slack did what a method asks for, and before the server learns of it. */
function killAt(method: string): Promise<void> {
  return new Promise((resolve) => {
    workspace.onCall = (called) => {
      if (called !== method) return;
      workspace.onCall = undefined;
      resolve(parley.kill());
    };
  });
}

test('[CHAT4, DUR1] killed while it sends, answers and changes a card, the server answers once and leaves no card open', async () => {
  const tab = await parley.tab();
  const sent = killAt('chat.postMessage');
  const prompt = await tab.ask('ask_user', question);
  await sent;
  await parley.restart();
  const card = await workspace.message(isOpen);
  await workspace.connection(1);

  const pressed = workspace.press(card, 'Coffee');
  await parley.kill();
  await parley.restart();
  const changed = killAt('chat.update');
  await changed;
  await parley.restart();
  await pressed; // delivered until it is acknowledged
  await workspace.until(card, 'Answered “Coffee” by ann, in Slack');
  expect(workspace.messages.filter(({ blocks }) => blocks.length > 0)).toEqual([card]);
  expect(isOpen(card)).toBe(false);
  const later = await parley.join(tab.sessionId);
  const settlements = later
    .events('interaction_response')
    .filter(({ payload }) => payload.interactionId === prompt.interactionId);
  expect(settlements).toHaveLength(1);
  expect(parley.log).not.toContain(botToken);
  expect(parley.log).not.toContain(appToken);
});
