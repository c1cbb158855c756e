import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ParleyProcess, type PersonTab, startParley } from '@parleyhq/client/process';
import type { InteractionRequest } from '@parleyhq/core';
import { useInTest } from '@parleyhq/server/testing';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { buttonsOf, isOpen, type SlackMessage } from './slack-message.ts';
import { type Arguments, appToken, botToken, SlackServer } from './slack-server.ts';

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
  await workspace.connection();
  await link(await makeCode('ann'), 'UANN', 'ann');
});

async function makeCode(name: string): Promise<string> {
  return JSON.parse((await parley.run('token', 'link', name, '--json')).stdout).code;
}

async function link(code: string, user: string, name: string): Promise<void> {
  await workspace.say(`link ${code}`, user);
  await workspace.message(({ text }) => text.includes(`linked to ${name}`));
}

/** Kills the server as soon as Slack did or refused what a method asks for, and before the server learns of it. */
function killAt(method: string, accepts: (args: Arguments) => boolean = () => true): Promise<void> {
  return new Promise((resolve) => {
    workspace.onCall = (called, args) => {
      if (called !== method || !accepts(args)) return;
      workspace.onCall = undefined;
      resolve(parley.kill());
    };
  });
}

/** Starts the server again, and waits until it listens. */
async function restart(): Promise<void> {
  const before = workspace.opened;
  workspace.isDeaf = false;
  await parley.restart();
  await workspace.connection(before);
}

async function ask(
  args: object = question,
): Promise<{ tab: PersonTab; prompt: InteractionRequest; card: SlackMessage }> {
  const tab = await parley.tab();
  const prompt = await tab.ask('ask_user', args);
  return { tab, prompt, card: await cardOf(prompt) };
}

/** Waits for the card of a prompt, whose button `Open` leads there. */
function cardOf({ interactionId }: InteractionRequest): Promise<SlackMessage> {
  return workspace.message((message) => isOpen(message) && JSON.stringify(message).includes(`/${interactionId}"`));
}

/** Returns the last delivery, as people see it. */
async function lastDelivery(): Promise<{ readonly state?: string; readonly code?: string }> {
  const { deliveries } = await (await fetch(`${parley.url}/api/deliveries?limit=1`)).json();
  return deliveries[0] ?? {};
}

/** Checks that a prompt was answered once, and that no message has a button that answers. */
async function expectOver({ tab, prompt }: { tab: PersonTab; prompt: InteractionRequest }): Promise<void> {
  const later = await parley.join(tab.sessionId);
  const isMeant = ({ payload }: { payload: { interactionId: string } }) =>
    payload.interactionId === prompt.interactionId;
  await later.event('interaction_response', isMeant);
  expect(later.events('interaction_response').filter(isMeant)).toHaveLength(1);
  const open = () => workspace.messages.filter((message) => buttonsOf(message).some((label) => label !== 'Open'));
  await vi.waitFor(() => expect(open()).toEqual([]), { timeout: 60_000 });
  expect(workspace.unacknowledged).toBe(0);
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
  await expectOver({ tab, prompt });
  expect(parley.log).not.toContain(botToken);
  expect(parley.log).not.toContain(appToken);
});

test('[CHAT2, DUR1] killed after a code was made, and when it was used, the server has one link', async () => {
  await parley.run('token', 'create', '--role', 'responder', '--name', 'bob');
  const code = await makeCode('bob');
  await restart();
  const replied = killAt('chat.postMessage', ({ text }) => text?.includes('linked to bob') === true);
  const said = workspace.say(`link ${code}`, 'UBOB');
  await replied;
  await restart();
  await said; // delivered again: the code counts as used now
  await vi.waitFor(() => expect(workspace.messages.filter(({ text }) => text.includes('to bob'))).toHaveLength(2));
  await workspace.say(`link ${code}`, 'UEVE');
  await workspace.message(({ channel, text }) => channel === 'DEVE' && text.includes('not valid'));
  const { stdout } = await parley.run('token', 'list', '--json');
  expect(stdout.match(/"T0001:UBOB"/g)).toHaveLength(1);
});

test('[CHAT1, DUR1] killed while a card waits for its next attempt, the server sends it later', async () => {
  workspace.fail('chat.postMessage', { error: 'internal_error' });
  const tab = await parley.tab();
  const prompt = await tab.ask('ask_user', question);
  await expect.poll(lastDelivery).toMatchObject({ state: 'due', code: 'internal_error' });
  await restart();
  const card = await cardOf(prompt);
  await workspace.press(card, 'Tea');
  await expectOver({ tab, prompt });
  expect(workspace.messages.filter(({ blocks }) => blocks.length > 0)).toEqual([card]);
});

test('[CHAT1, DUR1] killed when the receipt of a card was stored, the server changes that card and sends no other', async () => {
  const { tab, prompt, card } = await ask();
  await expect.poll(lastDelivery).toMatchObject({ state: 'sent' });
  await restart();
  await tab.answer(prompt, { action: 'submit', input: { answer: 'Tea' } });
  await workspace.until(card, 'Answered “Tea” by');
  await expectOver({ tab, prompt });
  expect(workspace.messages.filter(({ blocks }) => blocks.length > 0)).toEqual([card]);
});

test.each([
  ['stored, but not acknowledged', true],
  ['acknowledged', false],
])(
  '[CHAT1, CHAT4, DUR1] killed when a press was %s, the server answers once and closes the card',
  async (_, isDeaf) => {
    const { tab, prompt, card } = await ask();
    workspace.isDeaf = isDeaf;
    const pressed = workspace.press(card, 'Coffee');
    await (isDeaf ? tab.event('interaction_response') : pressed);
    await restart();
    await pressed;
    await workspace.until(card, 'Answered “Coffee” by ann, in Slack');
    await expectOver({ tab, prompt });
  },
);

test('[CHAT3, DUR1] killed while a form is open, and when it was stored, the server takes it once', async () => {
  const { tab, prompt, card } = await ask({ question: 'What else?' });
  await workspace.press(card, 'Answer');
  const { blocks } = await workspace.view(1);
  const field = String(blocks.find(({ type }) => type === 'input')?.block_id);
  await parley.kill();
  const submitted = workspace.submit({ [field]: { value: 'Cake' } });
  workspace.isDeaf = true;
  await parley.restart();
  const answered = await parley.join(tab.sessionId);
  const { payload } = await answered.event('interaction_response');
  expect(payload.input).toEqual({ answer: 'Cake' });
  await restart();
  expect(await submitted).toEqual({});
  await expectOver({ tab, prompt });
});

test('[CHAT3, DUR1] killed when a comment was stored, but not acknowledged, the server has it once', async () => {
  const { tab, prompt, card } = await ask();
  await workspace.press(card, 'Comment…');
  await workspace.view(1);
  workspace.isDeaf = true;
  const said = workspace.submit({ comment: { value: 'With milk?' } });
  await tab.event('interaction_comment');
  await restart();
  await said;
  await workspace.press(card, 'Tea');
  await expectOver({ tab, prompt });
  expect((await parley.join(tab.sessionId)).events('interaction_comment')).toHaveLength(1);
});

test('[CHAT3, DUR1] killed when a card was postponed, the server asks by another message and leaves no card open', async () => {
  const { tab, prompt, card } = await ask();
  const changed = killAt('chat.update', ({ text }) => text?.includes('Postponed until') === true);
  workspace.isDeaf = true;
  const [later] = card.blocks.flatMap(({ elements = [] }) => elements.filter(({ options }) => options));
  const ticket = String(later?.options?.[0]?.value).split(' ')[1];
  const option = { type: 'static_select', action_id: 'later-0', selected_option: { value: `0.001 ${ticket}` } };
  const pressed = workspace.press(card, 'In 10 minutes', 'UANN', { actions: [option] });
  await changed;
  await restart();
  await pressed;
  const again = await workspace.message((message) => isOpen(message));
  await workspace.press(again, 'Tea');
  await expectOver({ tab, prompt });
});

test('[CHAT1, OPS5, DUR1] killed while a session is deleted, or after that and before its card was changed, the server closes the card', async () => {
  const [during, after] = [await ask(), await ask()];
  await expect.poll(lastDelivery).toMatchObject({ state: 'sent' });
  workspace.fail('chat.update', ...Array.from({ length: 100 }, () => ({ error: 'internal_error' })));
  await after.tab.client.deleteSession(after.tab.sessionId);
  const refused = killAt('chat.update', ({ ts }) => ts === during.card.ts);
  const deletion = during.tab.client.deleteSession(during.tab.sessionId).catch(() => undefined); // it may end with the server
  await refused;
  workspace.faults.clear();
  await restart();
  for (const { card } of [during, after]) {
    await workspace.until(card, 'Closed with its session');
    expect(buttonsOf(card)).toEqual(['Open']);
  }
  await deletion;
});

test('[CHAT2, DUR1] killed when a link was ended, the server keeps it ended, closes its cards, and a press of them answers nothing', async () => {
  const { tab, card } = await ask();
  const replied = killAt('chat.postMessage', ({ text }) => text?.includes('not linked any more') === true);
  const press = workspace.pressOf(card, 'Tea');
  const said = workspace.say('unlink');
  await replied;
  await restart();
  await said;
  await workspace.until(card, 'not asked here any more');
  expect(buttonsOf(card)).toEqual(['Open']);
  await workspace.deliver('interactive', press);
  await workspace.whisper(({ text }) => text.includes('not linked'));
  expect((await parley.join(tab.sessionId)).events('interaction_response')).toEqual([]);
  expect((await parley.run('token', 'list', '--json')).stdout).not.toContain('UANN');
});
