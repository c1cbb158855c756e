import type { ParleyProcess, PersonTab } from '@parleyhq/client/process';
import type { InteractionRequest } from '@parleyhq/core';
import { useInTest } from '@parleyhq/server/testing';
import { beforeEach, expect, test } from 'vitest';
import { ann, bob, labelsOf, ownToken } from './asking.ts';
import { BotApi, type BotMessage, type Called } from './bot-api.ts';
import { start } from './start.ts';

const question = { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] };

let api: BotApi;
let parley: ParleyProcess;

beforeEach(async () => {
  api = await useInTest(new BotApi());
  parley = await start(api);
  await parley.run('token', 'create', '--role', 'responder', '--name', 'ann');
  api.write(ann, `/start ${await makeCode('ann')}`);
  await api.message(({ text }) => text.includes('is linked to ann'));
});

async function makeCode(name: string): Promise<string> {
  return JSON.parse((await parley.run('token', 'link', name, '--json')).stdout).code;
}

/** Kills the server as soon as Telegram did or refused what a method asks for, and before the server learns of it. */
function killAt(method: string, accepts: (params: Called['params']) => boolean = () => true): Promise<void> {
  return new Promise((resolve) => {
    api.onCall = (call) => {
      if (call.method !== method || !accepts(call.params)) return;
      api.onCall = undefined;
      resolve(parley.kill());
    };
  });
}

const killAtText = (words: string) => killAt('sendMessage', ({ text }) => text.includes(words));

async function ask(args: object = question): Promise<{ tab: PersonTab; prompt: InteractionRequest; card: BotMessage }> {
  const tab = await parley.tab();
  const prompt = await tab.ask('ask_user', args);
  return { tab, prompt, card: await api.message((message) => isCardOf(prompt, message)) };
}

/** Whether a message is a card of this prompt: its button `Open` leads there. */
function isCardOf({ interactionId }: InteractionRequest, { buttons }: BotMessage): boolean {
  return buttons.some((button) => 'url' in button && button.url.endsWith(`/${interactionId}`));
}

/** Returns the last delivery, as people see it. */
async function lastDelivery(): Promise<{ readonly state?: string; readonly code?: string }> {
  const headers = { authorization: `Bearer ${ownToken}` };
  const { deliveries } = await (await fetch(`${parley.url}/api/deliveries?limit=1`, { headers })).json();
  return deliveries[0] ?? {};
}

/** Checks that a prompt was answered once, and that no card has a button that answers. */
async function expectOver({ tab, prompt }: { tab: PersonTab; prompt: InteractionRequest }): Promise<void> {
  const later = await parley.join(tab.sessionId);
  await later.event('interaction_response');
  const cards = () => api.messages.filter((message) => isCardOf(prompt, message)).map(labelsOf);
  await expect.poll(cards).toSatisfy((all: string[][]) => all.every((labels) => labels.join() === 'Open'));
  expect(later.events('interaction_response')).toHaveLength(1);
}

test('[CHAT2, DUR1] killed after a code was made, and when it was used, the server has one link', async () => {
  await parley.run('token', 'create', '--role', 'responder', '--name', 'bob');
  const code = await makeCode('bob');
  await parley.restart();
  const replied = killAtText('is linked to bob');
  const said = api.write(bob, `/start ${code}`);
  await replied;
  await parley.restart();
  await api.confirmed(said); // delivered again: the code counts as used now
  expect(api.messages.filter(({ text }) => text.includes('is linked to bob'))).toHaveLength(2);
  api.write({ id: 6666 }, `/start ${code}`);
  await api.message(({ chat, text }) => chat === 6666 && text.includes('not valid'));
  expect((await parley.run('token', 'list', '--json')).stdout.match(/"id":"1002"/g)).toHaveLength(1);
});

test('[CHAT1, DUR1] killed while a card waits for its next attempt, the server sends it later', async () => {
  api.refuse('sendMessage', 502, 'Bad Gateway');
  const tab = await parley.tab();
  const prompt = await tab.ask('ask_user', question);
  await expect.poll(lastDelivery).toMatchObject({ state: 'due' });
  await parley.restart();
  const card = await api.message((message) => isCardOf(prompt, message));
  api.press(ann, card, 'Tea');
  await expectOver({ tab, prompt });
  expect(api.messages.filter((message) => isCardOf(prompt, message))).toEqual([card]);
});

test('[CHAT1, DUR1] killed before the receipt of a card was stored, the server sends it again, and either answers, once', async () => {
  const tab = await parley.tab();
  const sent = killAtText('Tea or coffee?');
  const prompt = await tab.ask('ask_user', question);
  await sent;
  const first = await api.message((message) => isCardOf(prompt, message));
  await parley.restart();
  const second = await api.message((message) => message !== first && isCardOf(prompt, message));
  api.press(ann, first, 'Coffee');
  await expect.poll(() => second.text).toContain('Answered “Coffee” by ann');
  await expectOver({ tab, prompt });
});

test('[CHAT1, DUR1] killed when the receipt of a card was stored, and while that is changed, the server changes it and sends no other', async () => {
  const { tab, prompt, card } = await ask();
  await expect.poll(lastDelivery).toMatchObject({ state: 'sent' });
  await parley.restart();
  api.refuse('editMessageText', 502, 'Bad Gateway');
  const changed = killAt('editMessageText');
  const answered = tab.answer(prompt, { action: 'submit', input: { answer: 'Tea' } }); // its reply may come after the restart
  await changed;
  const drawn = killAt('editMessageText');
  await parley.restart();
  await drawn;
  await parley.restart();
  await answered;
  await expectOver({ tab, prompt });
  expect(card.text).toContain('Answered “Tea” by');
  expect(api.messages.filter((message) => isCardOf(prompt, message))).toEqual([card]);
});

test.each([
  ['stored', 'answerCallbackQuery'],
  ['confirmed', 'getUpdates'],
])(
  '[CHAT1, CHAT4, DUR1] killed when a press was %s, the server answers once and closes the card',
  async (_, method) => {
    const { tab, prompt, card } = await ask();
    const killed = killAt(method, ({ offset }) => method !== 'getUpdates' || offset > press.update_id);
    const press = api.press(ann, card, 'Coffee');
    await killed;
    await parley.restart();
    await api.confirmed(press);
    await expectOver({ tab, prompt });
    expect(card.text).toContain('Answered “Coffee” by ann, in Telegram (Ann)');
  },
);

test('[CHAT3, DUR1] killed while a form is half-filled, the server asks on, takes nothing back, and takes it once', async () => {
  const { tab, prompt, card } = await ask({ ...question, inputType: 'multiselect' });
  const asked = killAtText('Answer\n');
  const begun = api.press(ann, card, 'Answer');
  await asked;
  await parley.restart();
  await api.confirmed(begun);
  const newest = () => api.messages.filter((message) => labelsOf(message).includes('Done')).at(-1) as BotMessage;
  const toggled = killAt('editMessageReplyMarkup');
  const first = api.press(ann, newest(), '☐ Tea');
  await toggled;
  await parley.restart();
  await api.confirmed(first); // delivered again: it is not taken back
  expect(labelsOf(newest())).toContain('☑ Tea');
  await api.confirmed(api.press(ann, newest(), '☐ Coffee'));
  const answered = killAtText('Submitted');
  const last = api.press(ann, newest(), 'Done');
  await answered;
  await parley.restart();
  await api.confirmed(last);
  await expectOver({ tab, prompt });
  const { payload } = await (await parley.join(tab.sessionId)).event('interaction_response');
  expect(payload.input).toEqual({ answer: ['Tea', 'Coffee'] });
});

test('[CHAT3, DUR1] killed while a comment is asked for, and when it was stored, the server has it once', async () => {
  const { tab, prompt, card } = await ask();
  const asked = killAtText('Write your comment');
  const begun = api.press(ann, card, 'Comment…');
  await asked;
  await parley.restart();
  await api.confirmed(begun);
  const stored = killAtText('Your comment was added');
  const said = api.write(ann, 'With milk?');
  await stored;
  await parley.restart();
  await api.confirmed(said);
  api.press(ann, card, 'Tea');
  await expectOver({ tab, prompt });
  expect((await parley.join(tab.sessionId)).events('interaction_comment')).toHaveLength(1);
});

test('[CHAT3, DUR1] killed when a card was postponed, the server postpones it, and closes it once it is answered', async () => {
  const { tab, prompt, card } = await ask();
  await api.confirmed(api.press(ann, card, 'Later…'));
  const postponed = killAt('answerCallbackQuery');
  const press = api.press(ann, card, '1 hour');
  await postponed;
  await parley.restart();
  await api.confirmed(press);
  expect(card.text).toContain('Postponed until');
  expect(labelsOf(card)).toEqual(['Open']);
  await tab.answer(prompt, { action: 'submit', input: { answer: 'Tea' } });
  await expect.poll(() => card.text).toContain('Answered “Tea” by');
  await expectOver({ tab, prompt });
  expect(api.messages.filter((message) => isCardOf(prompt, message))).toEqual([card]);
});

test('[CHAT1, OPS5, DUR1] killed while a session is deleted, or after that and before its card was changed, the server closes the card', async () => {
  const [during, after] = [await ask(), await ask()];
  await expect.poll(lastDelivery).toMatchObject({ state: 'sent' });
  api.failing.add('editMessageText');
  await after.tab.client.deleteSession(after.tab.sessionId);
  const refused = killAt('editMessageText', ({ message_id: id }) => id === during.card.id);
  const deletion = during.tab.client.deleteSession(during.tab.sessionId).catch(() => undefined); // it may end with the server
  await refused;
  api.failing.clear();
  await parley.restart();
  for (const { card } of [during, after]) {
    await expect.poll(() => card.text).toContain('Closed with its session');
    expect(labelsOf(card)).toEqual(['Open']);
  }
  await deletion;
});

test('[CHAT2, DUR1] killed when a link was ended, the server keeps it ended, closes its cards, and a press of them answers nothing', async () => {
  const { tab, card } = await ask();
  const replied = killAtText('not linked any more');
  const tea = card.buttons[0] as { callback_data: string };
  const said = api.write(ann, '/unlink');
  await replied;
  await parley.restart();
  await api.confirmed(said);
  await expect.poll(() => card.text).toContain('not asked here any more');
  expect(labelsOf(card)).toEqual(['Open']);
  api.pressData(ann, card, tea.callback_data);
  await api.call(({ method, params }) => method === 'answerCallbackQuery' && params.text.includes('not linked'));
  expect((await parley.join(tab.sessionId)).events('interaction_response')).toEqual([]);
  expect((await parley.run('token', 'list', '--json')).stdout).not.toContain('"1001"');
});
