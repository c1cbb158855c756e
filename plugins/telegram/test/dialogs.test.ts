import { addToken } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { ann, bob, labelsOf, Stage } from './asking.ts';
import type { BotMessage } from './bot-api.ts';

const text = (id: string, label: string) => ({ id, type: 'text', label, required: true });
const form = (title: string, ...fields: object[]) => ({ type: 'input', title, inputSchema: { type: 'form', fields } });
const buyers = ['Acme', 'Umbrella'].map((label) => ({ value: label.toLowerCase(), label }));
const buyer = { id: 'buyer', type: 'select', label: 'Buyer', required: true, options: buyers };

type Asked = Awaited<ReturnType<Stage['ask']>>;

/** Writes, and waits until the bot has handled it. */
async function write({ api }: Stage, words: string): Promise<void> {
  await api.confirmed(api.write(ann, words));
}

test('[CHAT2] an account that is not asked any more learns no further question of a form', async () => {
  const stage = await Stage.begin();
  const { card } = await stage.ask(form('Merger', buyer, text('price', 'Price')));
  stage.api.press(ann, card, 'Answer');
  const question = await stage.api.message((each) => each.text.includes('Buyer'));
  const drawn = { ...question };
  const state = { pluginName: 'telegram/telegram', key: `dialog:${ann.id}` };
  await stage.server.store.tokens.remove(stage.annsId);
  await stage.says(card, 'You are not asked here any more');
  await stage.api.confirmed(stage.api.press(ann, drawn, 'Acme'));
  expect(stage.api.messages.some((each) => each.text.includes('Price'))).toBe(false);
  expect([question.text, labelsOf(question)]).toEqual(['This question is over.', []]);
  expect(await stage.server.store.pluginState.get(state.pluginName, undefined, state.key)).toBeUndefined();
});

test('[CHAT2] whoever links an account that somebody else used is asked none of their questions', async () => {
  const stage = await Stage.begin();
  const { id } = await addToken(stage.server, { role: 'responder', name: 'bob', sessions: [] });
  const { card } = await stage.ask(form('Merger', text('first', 'First'), text('price', 'Price')));
  stage.api.press(ann, card, 'Answer');
  await stage.api.message((each) => each.text.includes('First'));
  await write(stage, '/unlink');
  await write(stage, `/start ${await stage.makeCode(id)}`);
  await write(stage, 'hello');
  expect(stage.api.messages.some((each) => each.text.includes('Price'))).toBe(false);
});

test('[CHAT3] a reply to the question about one prompt is not taken for another', async () => {
  const stage = await Stage.begin();
  const first = await stage.ask(form('Where to?', text('env', 'Environment')));
  const second = await stage.ask(form('Which one to drop?', text('db', 'Database')));
  stage.api.press(ann, first.card, 'Answer');
  const question = await stage.api.message((each) => each.text.startsWith('Environment'));
  stage.api.press(ann, second.card, 'Answer');
  const last = await stage.api.message((each) => each.text.startsWith('Database'));
  const reply = (to: BotMessage, words: string, id: number) => {
    const chat = { id: ann.id, type: 'private' as const, first_name: 'Ann' };
    const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
    const replied = { message_id: to.id, date: 1, chat };
    const message = { message_id: id, date: 1, chat, from, text: words, reply_to_message: replied };
    return stage.api.confirmed(stage.api.deliver({ message } as never));
  };
  await reply(question, 'production', 9001);
  await stage.api.message((each) => each.text.startsWith('I asked something else last'));
  await reply(last, 'old_backup', 9002);
  expect((await second.tab.event('interaction_response')).payload.input).toEqual({ db: 'old_backup' });
  expect(first.tab.events('interaction_response')).toEqual([]);
});

test('[CHAT3] each question loses its buttons when it is answered, and the last one when the form is sent', async () => {
  const stage = await Stage.begin();
  const { card, tab } = await stage.ask(form('Merger', buyer, { ...buyer, id: 'second', label: 'Second' }));
  stage.api.press(ann, card, 'Answer');
  const first = await stage.api.message((each) => each.text.startsWith('1/2'));
  stage.api.press(ann, first, 'Acme');
  const second = await stage.api.message((each) => each.text.startsWith('2/2'));
  expect(labelsOf(first)).toEqual([]);
  await stage.api.confirmed(stage.api.press(ann, second, 'Umbrella'));
  expect((await tab.event('interaction_response')).payload.input).toEqual({ buyer: 'acme', second: 'umbrella' });
  expect(labelsOf(second)).toEqual([]);
});

test('[CHAT3] a value that begins with a slash is a value, and commands are known in any case', async () => {
  const stage = await Stage.begin();
  const { card, tab } = await stage.ask(form('Where?', text('path', 'Path')));
  stage.api.press(ann, card, 'Answer');
  await stage.api.message((each) => each.text.startsWith('Path'));
  await write(stage, '/Cancel');
  await stage.api.message((each) => each.text.startsWith('Nothing was sent'));
  stage.api.press(ann, card, 'Answer');
  await expect.poll(() => stage.api.messages.filter((each) => each.text.startsWith('Path'))).toHaveLength(2);
  await write(stage, '/start/data backup');
  expect((await tab.event('interaction_response')).payload.input).toEqual({ path: '/start/data backup' });
});

test('[CHAT3] a reason that is written after another button was pressed is said to be too late', async () => {
  const stage = await Stage.begin();
  const { card, tab } = await stage.ask({ title: 'Deploy?' });
  const { buttons } = card;
  stage.api.press(ann, card, 'Deny with a reason…');
  await stage.api.message((each) => each.text.startsWith('Write your reason'));
  stage.api.press(ann, { ...card, buttons }, 'Deny');
  await tab.event('interaction_response');
  await stage.says(card, 'Denied by ann');
  await write(stage, 'Because of the freeze');
  expect(stage.api.messages.at(-1)?.text).toMatch(/^Too late: Denied by ann/);
});

test('[CHAT2] a code that an anonymous admin writes in a group becomes void', async () => {
  const stage = await Stage.begin();
  const { id } = await addToken(stage.server, { role: 'responder', name: 'bob' });
  const code = await stage.makeCode(id);
  const chat = { id: -100500, type: 'supergroup' as const, title: 'Team' };
  const from = { id: 1087968824, is_bot: true, first_name: 'Group', username: 'GroupAnonymousBot' };
  const message = { message_id: 9001, date: 1, chat, from, sender_chat: chat, text: `/start ${code}` };
  await stage.api.confirmed(stage.api.deliver({ message }));
  stage.api.write(bob, `/start ${code}`);
  expect((await stage.api.message((each) => each.chat === bob.id)).text).toContain('not valid');
});

test('[CHAT3] what Telegram notes in a chat, such as a pinned message, is not an answer', async () => {
  const stage = await Stage.begin();
  const { card } = await stage.ask({ title: 'Deploy?' });
  const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
  const chat = { id: ann.id, type: 'private' as const, first_name: 'Ann' };
  const count = stage.api.messages.length;
  const pinned = { message_id: card.id, date: 1, chat };
  await stage.api.confirmed(
    stage.api.deliver({ message: { message_id: 9001, date: 1, chat, from, pinned_message: pinned } } as never),
  );
  expect(stage.api.messages).toHaveLength(count);
});

test('[CHAT3] a long label is not cut within a character, which Telegram would refuse', async () => {
  const stage = await Stage.begin();
  const label = `${'x'.repeat(58)}😀😀`;
  const options = [{ value: 'a', label }, buyers[0]];
  const { card } = await stage.ask(form('Which?', { id: 'c', type: 'radio', required: true, options }));
  expect(labelsOf(card).map((each) => encodeURIComponent(each))).toContain(encodeURIComponent(`${'x'.repeat(58)}…`));
});

test('[CHAT2] an account that is renamed stays the same account', async () => {
  const stage = await Stage.begin();
  const { card, tab } = await stage.ask({ title: 'Deploy?' });
  stage.api.press({ id: ann.id, name: 'Anna of another name' }, card, 'Allow once');
  expect((await tab.event('interaction_response')).payload.by).toMatchObject({ name: 'ann' });
});

test('[CHAT2] an account whose token was revoked a moment ago is sent no card any more', async () => {
  const stage = await Stage.begin();
  const { card } = await stage.ask({ title: 'First' });
  await stage.server.store.tokens.remove(stage.annsId); // as another process does
  await stage.begin({ title: 'Second' });
  await stage.says(card, 'You are not asked here any more');
  expect(stage.api.calls.filter(({ params }) => JSON.stringify(params).includes('Second'))).toEqual([]);
});

test.each([
  ['its session is deleted', ({ tab }: Asked) => tab.client.deleteSession(tab.sessionId), 'Closed with its session'],
  ['it is answered elsewhere', ({ tab, prompt }: Asked) => tab.answer(prompt, { action: 'cancel' }), 'by owner'],
])(
  '[OPS5, CHAT3] when %s, a question loses its buttons, and what was typed before is forgotten',
  async (_, end, outcome) => {
    const stage = await Stage.begin();
    const asked = await stage.ask(form('Merger', text('price', 'Price'), buyer));
    stage.api.press(ann, asked.card, 'Answer');
    await stage.api.message((each) => each.text.includes('Price'));
    await write(stage, '12 million');
    const question = await stage.api.message((each) => each.text.includes('Buyer'));
    await end(asked);
    await stage.says(asked.card, outcome);
    await stage.says(question, 'This question is over.');
    expect(labelsOf(question)).toEqual([]);
    const kept = await stage.server.store.pluginState.get('telegram/telegram', undefined, `dialog:${ann.id}`);
    expect(JSON.stringify(kept)).not.toMatch(/million|price|buyer/i);
    await write(stage, 'Acme');
    expect(stage.api.messages.at(-1)?.text).toMatch(/^(Too late|This button is not)/);
  },
);

test('[CHAT3] a question whose buttons change after a wait gets none back, if its prompt is settled meanwhile', async () => {
  const stage = await Stage.begin();
  const kinds = { ...buyer, id: 'kinds', type: 'multiselect', label: 'Buyers' };
  const { card, tab, prompt } = await stage.ask(form('Merger', kinds));
  stage.api.press(ann, card, 'Answer');
  const question = await stage.api.message((each) => each.text.includes('Buyers'));
  stage.api.refuse('editMessageReplyMarkup', 429, 'Too Many Requests: retry after 3', 3);
  const pressed = stage.api.press(ann, question, '☐ Acme');
  await stage.api.call(({ method }) => method === 'editMessageReplyMarkup');
  await tab.answer(prompt, { action: 'cancel' });
  await stage.says(question, 'This question is over.');
  await stage.api.confirmed(pressed);
  expect(labelsOf(question)).toEqual([]);
  const kept = await stage.server.store.pluginState.get('telegram/telegram', undefined, `dialog:${ann.id}`);
  expect(JSON.stringify(kept)).not.toContain('acme');
});

test('[CHAT3] a form that was begun below a postponed message ends when another one takes its place', async () => {
  const stage = await Stage.begin();
  const { card } = await stage.ask(form('Merger', text('price', 'Price'), buyer));
  stage.api.press(ann, card, 'Answer');
  await stage.api.message((each) => each.text.includes('Price'));
  await write(stage, '12 million');
  const question = await stage.api.message((each) => each.text.includes('Buyer'));
  const later = card.buttons.find((each) => each.text === 'Later…') as { callback_data: string };
  await stage.api.confirmed(stage.api.pressData(ann, card, later.callback_data.replace('l:', 's60:')));
  const { deliveries } = stage.server.store;
  const [postponed] = await deliveries.list({ limit: 1 });
  await deliveries.put([{ ...postponed, at: new Date().toISOString() } as never]); // the hour has passed
  await stage.server.server.close();
  await stage.server.start();
  await stage.says(card, 'Asked again');
  await stage.says(question, 'You are asked again below.');
  expect(labelsOf(question)).toEqual([]);
  const kept = () => stage.server.store.pluginState.get('telegram/telegram', undefined, `dialog:${ann.id}`);
  await expect.poll(kept).toBeUndefined();
});
