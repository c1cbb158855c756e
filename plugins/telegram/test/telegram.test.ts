import { addToken } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { ann, bob, labelsOf, Stage } from './asking.ts';

const deploy = {
  title: 'Deploy?',
  prompt: 'To production.',
  subject: { kind: 'command', text: 'deploy <b>v2</b> --now' },
};

const settlements = (stage: { tab: { events(type: 'interaction_response'): readonly object[] } }) =>
  stage.tab.events('interaction_response');

test('[CHAT3, CHAT4] the message shows the whole subject in monospace, and one press answers, once', async () => {
  const stage = await Stage.begin();
  const asked = await stage.ask(deploy);
  const { card, tab } = asked;
  const code = card.entities.find(({ type }) => type === 'pre');
  expect(card.text.slice(code?.offset, Number(code?.offset) + Number(code?.length))).toBe(deploy.subject.text);
  expect(labelsOf(card)).toEqual(['Allow once', 'Deny', 'Deny with a reason…', 'Comment…', 'Later…', 'Open']);
  const { update_id: _, ...press } = stage.api.press(ann, card, 'Allow once');
  const { payload } = await tab.event('interaction_response');
  expect(payload).toMatchObject({
    action: 'approve',
    approvalScope: 'once',
    by: { name: 'ann', transport: 'telegram' },
  });
  await stage.says(card, 'Allowed once by ann, in Telegram (Ann)');
  expect(labelsOf(card)).toEqual(['Open']);
  await stage.api.confirmed(stage.api.deliver(press)); // the same press, delivered again
  await stage.api.call(({ method, params }) => method === 'answerCallbackQuery' && params.text === 'Allowed once.');
  expect(settlements(asked)).toHaveLength(1);
});

test('[CHAT3] a denial may have a reason, a comment stays a comment, and a prompt may wait', async () => {
  const stage = await Stage.begin();
  const { card, tab } = await stage.ask(deploy);
  stage.api.press(ann, card, 'Comment…');
  await stage.api.message(({ text }) => text.startsWith('Write your comment'));
  const said = stage.api.write(ann, 'Why now?');
  expect((await tab.event('interaction_comment')).payload).toMatchObject({ text: 'Why now?', by: { name: 'ann' } });
  await stage.api.confirmed(stage.api.deliver(said));
  stage.api.press(ann, card, 'Later…');
  await expect.poll(() => labelsOf(card), { timeout: 30_000 }).toContain('1 hour');
  stage.api.press(ann, card, 'Back');
  await expect.poll(() => labelsOf(card), { timeout: 30_000 }).toContain('Deny with a reason…');
  stage.api.press(ann, card, 'Deny with a reason…');
  await stage.api.message(({ text }) => text.startsWith('Write your reason'));
  stage.api.write(ann, 'Not on a Friday');
  expect((await tab.event('interaction_response')).payload).toMatchObject({
    action: 'deny',
    reason: 'Not on a Friday',
  });
  await stage.says(card, 'Denied by ann, in Telegram');
  expect(tab.events('interaction_comment')).toHaveLength(1);
});

test('[CHAT3] a form is asked for field by field, and a value that does not fit is asked for again', async () => {
  const stage = await Stage.begin();
  const fields = [
    {
      id: 'size',
      type: 'select',
      label: 'Size',
      required: true,
      options: [
        { value: 's', label: 'Small' },
        { value: 'l', label: 'Large' },
      ],
    },
    { id: 'count', type: 'number', label: 'How many', required: true, max: 9 },
    { id: 'note', type: 'text', label: 'Note' },
  ];
  const { card, tab } = await stage.ask({ type: 'input', prompt: 'Order?', inputSchema: { type: 'form', fields } });
  stage.api.press(ann, card, 'Answer');
  const size = await stage.api.message(({ text }) => text.startsWith('1/3 Size'));
  stage.api.press(ann, size, 'Large');
  await stage.api.message(({ text }) => text.startsWith('2/3 How many'));
  const many = stage.api.write(ann, '12');
  const note = await stage.api.message(({ text }) => text.startsWith('3/3 Note'));
  stage.api.deliver(many); // delivered again: it is not the note
  stage.api.press(ann, note, 'Skip');
  await stage.api.message(
    ({ text }) => /at most 9|9/.test(text) && text.includes('How many') && !text.startsWith('2/3'),
  );
  stage.api.write(ann, '3');
  expect((await tab.event('interaction_response')).payload).toMatchObject({
    action: 'submit',
    input: { size: 'l', count: 3 },
  });
});

test('[CHAT3] a choice has its options as buttons; what must not be answered here only has "Open"', async () => {
  const stage = await Stage.begin();
  const options = [
    { value: 'r', label: 'Red' },
    { value: 'g', label: 'Green' },
  ];
  const { card, tab } = await stage.ask({
    type: 'input',
    prompt: 'Which?',
    inputSchema: { type: 'form', fields: [{ id: 'colour', type: 'radio', required: true, options }] },
  });
  expect(labelsOf(card)).toEqual(['Red', 'Green', 'Cancel', 'Comment…', 'Later…', 'Open']);
  stage.api.press(ann, card, 'Green');
  expect((await tab.event('interaction_response')).payload).toMatchObject({ input: { colour: 'g' } });
  const high = await stage.ask({ ...deploy, risk: 'high' });
  expect(labelsOf(high.card)).not.toContain('Deny');
  const long = await stage.ask({ ...deploy, subject: { kind: 'text', text: 'x'.repeat(2501) } });
  expect([labelsOf(long.card).includes('Allow once'), long.card.text.includes('xxx')]).toEqual([false, false]);
});

test('[CHAT2] strangers, forwarded cards, changed buttons and codes in groups answer and link nothing', async () => {
  const stage = await Stage.begin();
  const bobs = await addToken(stage.server, { role: 'responder', name: 'bob' });
  await stage.link(bob, bobs.id);
  const { card } = await stage.ask(deploy);
  const button = card.buttons.find(({ text }) => text === 'Deny') as { callback_data: string };
  const changed = button.callback_data.replace('a:deny:', 'a:approve:').replace('.d.', '.a.');
  stage.api.press({ id: 6666 }, card, 'Deny');
  stage.api.press(bob, card, 'Deny');
  stage.api.pressData(ann, card, changed);
  stage.api.pressData(ann, { ...card, chat: -5 }, button.callback_data); // in a group
  const code = await stage.makeCode(bobs.id);
  stage.api.write({ id: 6666 }, `/start@parley_bot ${code}`, { id: -5, type: 'group' });
  stage.api.write({ id: 6666 }, 'What waits here?', { id: -5, type: 'group' });
  await stage.api.confirmed(stage.api.write({ id: 6666 }, `/start ${code}`));
  const notices = stage.api.calls
    .filter(({ method }) => method === 'answerCallbackQuery')
    .map(({ params }) => params.text);
  expect(notices).toEqual([
    expect.stringContaining('not linked'),
    'This button is not for this account.',
    'This button is not for this account.',
    'This button is not for you.',
  ]);
  expect(stage.api.messages.filter(({ chat }) => chat === -5).map(({ text }) => text)).toEqual([
    expect.stringContaining('private chats only'),
  ]);
  expect(stage.api.messages.filter(({ chat }) => chat === 6666).map(({ text }) => text)).toEqual([
    expect.stringContaining('not valid'),
  ]);
  expect(stage.server.server.openPrompts).toBe(1);
});

test('[CHAT4] waits, refusals and missing messages lose nothing: the card comes, and is closed', async () => {
  const stage = await Stage.begin();
  stage.api.refuse('sendMessage', 429, 'Too Many Requests: retry after 1', 1);
  const { card, tab, prompt } = await stage.ask(deploy);
  stage.api.refuse('editMessageText', 502, 'Bad Gateway');
  await tab.answer(prompt, { action: 'deny' });
  await stage.says(card, 'Denied by owner, in Parley');
  const gone = await stage.ask(deploy);
  stage.api.forget(gone.card);
  const edits = stage.api.calls.length;
  await gone.tab.answer(gone.prompt, { action: 'deny' });
  await stage.api.call((call) => stage.api.calls.indexOf(call) >= edits && call.method === 'editMessageText');
  const states = async () => (await stage.server.store.deliveries.list({ limit: 10 })).map(({ state }) => state);
  await expect.poll(states, { timeout: 30_000 }).toEqual(['withdrawn', 'withdrawn']);
});

test.each([
  ['that blocked the bot', undefined],
  ['that was deactivated', 'user is deactivated'],
])('[CHAT4] an account %s is not tried again, and its link ends, also if the note of it was missed', async (_, why) => {
  const stage = await Stage.begin();
  stage.api.block(ann.id, why);
  await stage.begin(deploy);
  const deliveries = () => stage.server.store.deliveries.list({ limit: 1 });
  await expect.poll(deliveries, { timeout: 30_000 }).toMatchObject([{ state: 'failed', code: 'account_gone' }]);
  await expect.poll(() => stage.server.store.links.list(), { timeout: 30_000 }).toEqual([]);
});

test('[CHAT4] the link of an account ends when it blocks the bot', async () => {
  const stage = await Stage.begin();
  const from = { id: ann.id, is_bot: false, first_name: 'Ann' };
  stage.api.deliver({
    my_chat_member: {
      chat: { id: ann.id, type: 'private', first_name: 'Ann' },
      from,
      date: 0,
      new_chat_member: { status: 'kicked', user: from, until_date: 0 },
    },
  } as never);
  await expect.poll(() => stage.server.store.links.list(), { timeout: 30_000 }).toEqual([]);
});

test('[CHAT4] a restart in the middle loses neither a press nor a half-filled form, and closes what was settled meanwhile', async () => {
  const stage = await Stage.begin();
  const fields = ['a', 'b'].map((id) => ({ id, type: 'text', label: id.toUpperCase(), required: true }));
  const form = await stage.ask({ type: 'input', prompt: 'Names?', inputSchema: { type: 'form', fields } });
  const other = await stage.ask(deploy);
  stage.api.press(ann, form.card, 'Answer');
  await stage.api.message(({ text }) => text.startsWith('1/2 A'));
  stage.api.write(ann, 'first');
  await stage.api.message(({ text }) => text.startsWith('2/2 B'));
  await stage.server.server.close();
  stage.api.write(ann, 'second');
  stage.api.press(ann, other.card, 'Deny');
  await stage.server.start();
  await stage.says(form.card, 'Submitted by ann, in Telegram');
  await stage.says(other.card, 'Denied by ann, in Telegram');
});

test('[CHAT4] a message that cannot be handled is skipped, and its sender learns it', async () => {
  const stage = await Stage.begin();
  const { card } = await stage.ask(deploy);
  stage.server.store.intercept('links', 'find', () => Promise.reject(new Error('a fault of the store')));
  stage.api.press(ann, card, 'Deny');
  await stage.api.message(({ chat, text }) => chat === ann.id && text.includes('could not be stored'));
});

test('[CHAT2, CHAT4] a link that ended and was made again is confirmed in between, so that no redelivery ends it', async () => {
  const stage = await Stage.begin();
  const code = await stage.makeCode(stage.annsId);
  await stage.server.server.close();
  const ended = stage.api.write(ann, '/unlink');
  stage.api.write(ann, `/start ${code}`);
  const before = stage.api.calls.length;
  await stage.server.start();
  const indexOf = async (accepts: Parameters<typeof stage.api.call>[0]) =>
    stage.api.calls.indexOf(await stage.api.call((call) => stage.api.calls.indexOf(call) >= before && accepts(call)));
  const linked = await indexOf(({ method, params }) => method === 'sendMessage' && /is linked to/.test(params.text));
  const confirmed = await indexOf(({ method, params }) => method === 'getUpdates' && params.offset > ended.update_id);
  expect(confirmed).toBeLessThan(linked);
});

test('[CHAT4] another poller ends the listening for a moment only', async () => {
  const stage = await Stage.begin();
  stage.api.refuse('getUpdates', 409, 'Conflict: terminated by other getUpdates request');
  const { card, tab } = await stage.ask(deploy);
  stage.api.press(ann, card, 'Deny');
  stage.api.write(ann, '/start'); // releases the poll that is open, so that the next one conflicts
  expect((await tab.event('interaction_response')).payload).toMatchObject({ action: 'deny' });
});

test('[CHAT1, CHAT4] a message that is to be redrawn after a wait is not, if its prompt is settled meanwhile', async () => {
  const stage = await Stage.begin();
  const { card, tab, prompt } = await stage.ask(deploy);
  stage.api.press(ann, card, 'Later…');
  await expect.poll(() => labelsOf(card), { timeout: 30_000 }).toContain('1 hour');
  stage.api.refuse('editMessageText', 429, 'Too Many Requests: retry after 3', 3);
  const back = stage.api.press(ann, card, 'Back');
  await stage.api.call(({ method }) => method === 'editMessageText');
  await tab.answer(prompt, { action: 'deny' });
  await stage.says(card, 'Denied by owner, in Parley');
  await stage.api.confirmed(back);
  expect([card.edits, labelsOf(card)]).toEqual([2, ['Open']]);
});

test('[CHAT2, CHAT4] whoever writes to the bot delays nobody, and is explained the bot once a minute, without a wait', async () => {
  const stage = await Stage.begin();
  const { card, tab } = await stage.ask(deploy);
  const stranger = { id: 6666 };
  stage.api.limit = ({ method, params }) =>
    method === 'sendMessage' && params.chat_id === stranger.id ? 4 : undefined;
  for (const words of ['/start a-wrong-code', 'noise', 'noise', 'noise']) stage.api.write(stranger, words);
  const last = stage.api.press(ann, card, 'Allow once');
  await tab.event('interaction_response');
  const sent = () => stage.api.calls.filter(({ params: { chat_id: chat } }) => chat === stranger.id);
  await stage.api.confirmed(last);
  expect(sent().map(({ params }) => params.text)).toEqual([
    expect.stringContaining('not valid'),
    expect.stringContaining('I ask you what waits'),
  ]);
});

test('[CHAT2, CHAT4] a stranger who writes more than one poll delivers delays nobody', async () => {
  const stage = await Stage.begin();
  const { card, tab } = await stage.ask(deploy);
  const stranger = { id: 6666 };
  stage.api.limit = ({ method, params }) =>
    method === 'sendMessage' && params.chat_id === stranger.id ? 3 : undefined;
  const commands = ['/start a-wrong-code', '/unlink', '/cancel'];
  for (let n = 0; n < 120; n += 1) stage.api.write(stranger, String(commands[n % 3]));
  stage.api.press(ann, card, 'Allow once');
  await tab.event('interaction_response');
});
