import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { begin, type Stage, startStage } from './asking.ts';
import { titleOf } from './slack-message.ts';

/** Asks in a session of its own, and waits for the card. */
async function ask({ server, workspace }: Stage, title: string) {
  const tab = await begin(server);
  const prompt = await tab.ask('ask', { title });
  return { tab, prompt, card: await workspace.card(title) };
}

const countOf = ({ workspace }: Stage, title: string) =>
  workspace.messages.filter((message) => titleOf(message) === title).length;

test('[CHAT1, CHAT4] a card whose receipt was lost is closed, also if Slack cannot say at first what it has', async () => {
  const stage = await startStage();
  const { workspace } = stage;
  await ask(stage, 'First');
  workspace.fail('chat.postMessage', 'lost');
  workspace.fail('conversations.history', { error: 'internal_error' });
  const { card, tab, prompt } = await ask(stage, 'Deploy?');
  await tab.answer(prompt, { action: 'deny' });
  await workspace.until(card, 'Denied by owner, in Parley');
});

test('[CHAT1, CHAT4] a message that Slack takes after the limit is sent once', async () => {
  const stage = await startStage({ tellMs: 1000 });
  await ask(stage, 'First');
  stage.workspace.delayMs.set('chat.postMessage', 1500);
  const { card } = await ask(stage, 'Once');
  await vi.waitFor(() => expect(card.edits).toBe(1), { timeout: 30_000 });
  expect(countOf(stage, 'Once')).toBe(1);
});

test('[CHAT1, CHAT4] a message that Slack takes after the limit is closed, also if its prompt is settled before the next attempt', async () => {
  const stage = await startStage({ tellMs: 1000 });
  const { workspace } = stage;
  await ask(stage, 'First');
  workspace.delayMs.set('chat.postMessage', 1500);
  const { card, tab, prompt } = await ask(stage, 'Deploy?');
  await tab.answer(prompt, { action: 'deny' });
  await workspace.until(card, 'Denied by owner, in Parley');
});

test('[CHAT1, CHAT4] a message that is answered while it is looked for is not sent again', async () => {
  const stage = await startStage();
  const { workspace, server } = stage;
  await ask(stage, 'First');
  workspace.fail('chat.postMessage', 'lost');
  workspace.fail('conversations.history', { retryAfter: 2 });
  const { card } = await ask(stage, 'Once');
  await vi.waitFor(() => expect(workspace.faults.get('conversations.history')).toEqual([]), { timeout: 30_000 });
  await workspace.press(card, 'Deny');
  await workspace.until(card, 'Denied by ann, in Slack');
  const states = async () => (await server.store.deliveries.list({ limit: 1 })).map(({ state }) => state);
  await expect.poll(states, { timeout: 30_000 }).toEqual(['withdrawn']);
  expect(countOf(stage, 'Once')).toBe(1);
});

test('[CHAT1] what waits to be sent when the limit passes is not sent by that attempt any more', async () => {
  const stage = await startStage({ tellMs: 1000 });
  const { workspace } = stage;
  await ask(stage, 'First');
  workspace.fail('chat.postMessage', { retryAfter: 2 });
  const tab = await begin(stage.server);
  await tab.ask('ask', { title: 'Later' });
  await vi.waitFor(() => expect(workspace.faults.get('chat.postMessage')).toEqual([]), { timeout: 30_000 });
  await pause(2500);
  expect(countOf(stage, 'Later')).toBe(0);
  await workspace.card('Later');
});
