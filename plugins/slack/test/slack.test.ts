import { addToken } from '@parleyhq/server/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { begin, makeCode, type Stage, startStage } from './asking.ts';
import { buttonsOf, isOpen, titleOf } from './slack-message.ts';
import type { SlackServer } from './slack-server.ts';

let stage: Stage;
let workspace: SlackServer;

beforeEach(async () => {
  stage = await startStage();
  workspace = stage.workspace;
});

/** Asks in a session of its own. */
async function ask(demand: object, shown = String((demand as { title?: string }).title)) {
  const tab = await begin(stage.server);
  const prompt = await tab.ask('ask', demand);
  const card = await workspace.card(shown);
  const answer = async () => (await tab.event('interaction_response')).payload;
  return { tab, prompt, card, answer };
}

const command = (text: string) => ({ subject: { kind: 'command', text } });

test('[CHAT1, CHAT2, CHAT3, CHAT4] a linked account gets the whole card, answers once, and the card says so', async () => {
  const { card, tab, answer } = await ask({
    title: 'Deploy?',
    prompt: 'Now?',
    ...command('deploy <v2> && echo *done*'),
  });
  expect(buttonsOf(card)).toEqual(['Allow once', 'Deny', 'Deny with a reason…', 'Open', 'Comment…']);
  expect(card.blocks.slice(1, 3)).toMatchObject([
    { type: 'section', text: { type: 'plain_text', text: 'Now?' } },
    { text: { type: 'mrkdwn', text: '```\ndeploy &lt;v2&gt; &amp;&amp; echo *done*\n```', verbatim: true } },
  ]);
  expect(await workspace.press(card, 'Allow once')).toEqual({});
  expect(await answer()).toMatchObject({ action: 'approve', by: { name: 'ann', transport: 'slack', label: 'ann.b' } });
  await workspace.until(card, 'Allowed once by ann, in Slack (ann.b)');
  expect([isOpen(card), buttonsOf(card)]).toEqual([false, ['Open']]);
  expect(tab.events('interaction_response')).toHaveLength(1);
});

test('[CHAT3] nothing in a text is a link, a mention or an emoji, and code cannot leave its block', async () => {
  const text = 'x\n```\n<!channel> :wave: <https://example.org|safe>';
  const { card } = await ask({ title: '<!here>', prompt: '<@UBOB>\n> *bold*', ...command(text) }, '&lt;!here&gt;');
  const texts: { type?: string; text?: unknown; emoji?: boolean; verbatim?: boolean }[] = [];
  const collect = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('text' in value && typeof value.text === 'string') texts.push(value);
    for (const each of Object.values(value)) collect(each);
  };
  collect(card.blocks);
  expect(texts).toContainEqual({ type: 'text', text }); // in a preformatted block of rich text, which knows no markup
  expect(texts).toContainEqual({ type: 'plain_text', text: '&lt;@UBOB&gt;\n&gt; *bold*', emoji: false });
  expect(texts.filter(({ type }) => type === 'mrkdwn')).toEqual([]);
  expect(card.text).toContain('&lt;!here&gt;');
  const long = '&'.repeat(2500);
  const { card: whole } = await ask({ title: 'Whole', subject: { kind: 'text', text: long } });
  const sections = whole.blocks as unknown as { type: string; text?: { text: string } }[];
  const drawn = sections.filter(({ type }) => type === 'section').map((each) => each.text?.text);
  expect(drawn.join('').replaceAll('&amp;', '&')).toBe(long);
  const all = [...card.blocks, ...whole.blocks].filter(({ type }) => type === 'section');
  expect(all).toEqual(all.map((section) => ({ ...section, expand: true }))); // Slack folds other long sections away
  expect(buttonsOf(whole)).toContain('Allow once');
});

test('[CHAT3] a card names the tool that asks, also if nothing else describes the call', async () => {
  const { card } = await ask({ title: '' }, 'Allow "ask"?');
  expect(buttonsOf(card)).toContain('Allow once');
  expect(JSON.stringify(card.blocks)).toContain('Tool: ask');
});

test('[CHAT3] at high risk a card is only opened', async () => {
  const { card, prompt, tab } = await ask({ title: 'Drop?', risk: 'high' });
  expect(buttonsOf(card)).toEqual(['Open', 'Comment…']);
  expect(JSON.stringify(card.blocks)).toContain(`${stage.server.url}/s/${tab.sessionId}/${prompt.interactionId}`);
});

test('[CHAT3] a choice has a button for each option, also for labels that are longer than a button', async () => {
  const long = 'a very long label '.repeat(6);
  const options = [
    { value: 'red', label: 'Red', description: 'Like fire' },
    { value: 'other', label: long },
  ];
  const fields = [{ id: 'colour', type: 'radio', options }];
  const { card, answer } = await ask({ type: 'input', title: 'Which?', inputSchema: { type: 'form', fields } });
  expect(buttonsOf(card).slice(0, 1)).toEqual(['1. Red']);
  const drawn = JSON.stringify(card.blocks);
  expect(drawn).toContain(`Red: Like fire\\n${long.trim()}`); // what the options mean, and which number is which
  expect(drawn).toContain(`1. Red\\n2. ${long}`);
  await workspace.press(card, String(buttonsOf(card)[1]));
  expect(await answer()).toMatchObject({ action: 'submit', input: { colour: 'other' } });
});

test('[CHAT3] a short form is a modal, whose faults stand at their fields', async () => {
  const options = ['a', 'b', 'c'].map((value) => ({ value, label: value.toUpperCase() }));
  const fields = [
    { id: 'count', type: 'number', required: true, max: 9 },
    { id: 'kinds', type: 'multiselect', options, other: true },
    { id: 'one', type: 'select', options },
    { id: 'at', type: 'datetime' },
    { id: 'sure', type: 'checkbox' },
  ];
  const initialValues = { kinds: ['b'], at: '2026-03-01T12:00:00Z' };
  const { card, answer } = await ask({
    ...{ type: 'input', title: 'How many?', inputSchema: { type: 'form', fields }, initialValues },
  });
  await workspace.press(card, 'Answer');
  const { blocks } = await workspace.view(1);
  expect(blocks.map(({ block_id: id }) => id)).toEqual(
    expect.arrayContaining(['field-0', 'field-1', 'other-1', 'field-2', 'field-3', 'field-4']),
  );
  expect(blocks.find(({ block_id: id }) => id === 'field-3')?.element).toMatchObject({ initial_date_time: 1772366400 });
  const values = {
    'field-0': { type: 'number_input', value: '12' },
    'field-1': { type: 'checkboxes', selected_options: [{ value: '0' }, { value: '1' }] },
    'other-1': { type: 'plain_text_input', value: 'z' },
    'field-2': { type: 'static_select', selected_option: { value: '2' } },
    'field-3': { type: 'datetimepicker', selected_date_time: 1772366400 },
    'field-4': { type: 'checkboxes', selected_options: [{ value: 'yes' }] },
  };
  expect(await workspace.submit(values)).toEqual({
    response_action: 'errors',
    errors: { 'field-0': expect.any(String) },
  });
  const sent = { ...values, 'field-0': { value: '3' } };
  expect(await workspace.submit(sent)).toEqual({});
  expect(await workspace.submit(sent)).toEqual({}); // delivered again
  expect(await answer()).toMatchObject({
    input: { count: 3, kinds: ['a', 'b', { other: 'z' }], one: 'c', at: '2026-03-01T12:00:00.000Z', sure: true },
  });
  expect(await workspace.submit({ ...values, 'field-0': { value: '4' } })).toMatchObject({ response_action: 'update' });
});

test('[CHAT3, REV4] a reason, comments and a delay come from the card; a required reason is asked for', async () => {
  const { card, tab, answer } = await ask({ title: 'Deploy?', reasonRequired: ['deny'], ...command('deploy') });
  const comment = () => tab.event('interaction_comment', ({ payload }) => payload.text === 'Why <now>?');
  await workspace.press(card, 'Comment…');
  await workspace.view(1);
  await workspace.submit({ comment: { value: 'Why <now>?' } });
  expect((await comment()).payload.by).toMatchObject({ name: 'ann', transport: 'slack' });
  await workspace.say('And why &lt;here&gt;?', 'UANN', { thread_ts: card.ts });
  await tab.event('interaction_comment', ({ payload }) => payload.text === 'And why <here>?');
  await workspace.press(card, 'In 10 minutes');
  await workspace.until(card, 'Postponed until');
  expect(buttonsOf(card)).toEqual(['Open']);
  const { card: other, answer: answerOther } = await ask({ title: 'Again?', reasonRequired: ['deny'] });
  await workspace.press(other, 'Deny');
  await workspace.view(2);
  expect(await workspace.submit({ reason: { value: 'not today' } })).toEqual({});
  expect(await answerOther()).toMatchObject({ action: 'deny', reason: 'not today' });
  await tab.answer(tab.session.state.head.prompts[0]?.request as never, { action: 'approve' });
  await answer();
  await workspace.until(card, 'Allowed once by owner, in Parley');
});

test('[CHAT3, REV4] whoever was asked learns in the thread that somebody else commented', async () => {
  const { card, prompt, tab } = await ask({ title: 'Deploy?' });
  await tab.session.comment(prompt.interactionId, 'Wait for me');
  await workspace.message(({ thread_ts: thread, text }) => thread === card.ts && text.startsWith('owner commented'));
  expect(JSON.stringify(card.blocks)).toContain('Comments: 1, the last by owner: Wait for me');
});

test('[CHAT3, CHAT4] a card that is settled elsewhere is closed, whatever Slack answers meanwhile', async () => {
  const { card, prompt, tab } = await ask({ title: 'One' });
  workspace.fail('chat.update', { retryAfter: 1 }, { error: 'token_revoked' }, 'lost');
  await tab.answer(prompt, { action: 'deny' });
  await vi.waitFor(() => expect(card.edits).toBe(2), { timeout: 30_000 }); // once more after the lost reply
  await workspace.until(card, 'Denied by owner, in Parley');
  for (const error of ['message_not_found', 'not_in_channel', 'channel_not_found', 'cant_update_message']) {
    const gone = await ask({ title: error });
    workspace.fail('chat.update', { error });
    await gone.tab.answer(gone.prompt, { action: 'deny' });
    await vi.waitFor(() => expect(workspace.faults.get('chat.update')).toEqual([]), { timeout: 30_000 });
  }
  const updates = workspace.countOf('chat.update');
  const { card: last, prompt: open, tab: other } = await ask({ title: 'Last' });
  await other.answer(open, { action: 'approve' });
  await workspace.until(last, 'Allowed once by owner, in Parley');
  expect(workspace.countOf('chat.update')).toBe(updates + 1); // nothing was tried again for a deleted message
});

test('[CHAT4] a message whose sending was refused for a moment, or whose receipt was lost, is sent once', async () => {
  workspace.fail('chat.postMessage', { retryAfter: 1 }, 'lost');
  const { card } = await ask({ title: 'Once' });
  await vi.waitFor(() => expect(card.edits).toBe(1), { timeout: 60_000 }); // found again, and drawn as it is by then
  await workspace.press(card, 'Deny');
  await workspace.until(card, 'Denied by ann');
  expect(workspace.messages.filter((message) => titleOf(message) === 'Once')).toHaveLength(1);
});

test('[CHAT4] what is pressed while a connection breaks or is replaced is answered once, in any order, however often it comes', async () => {
  const { card: first, tab } = await ask({ title: 'First' });
  const { card: second, tab: other } = await ask({ title: 'Second' });
  for (const reason of ['warning', 'refresh_requested'] as const) {
    const before = workspace.opened;
    workspace.refresh(reason);
    await workspace.connection(before);
  }
  workspace.isHolding = true;
  const payload = workspace.pressOf(first, 'Deny');
  const presses = [
    workspace.deliver('interactive', payload),
    workspace.deliver('interactive', payload),
    workspace.deliver('interactive', workspace.pressOf(first, 'Allow once')),
    workspace.press(second, 'Allow once'),
  ];
  const before = workspace.opened;
  workspace.drop();
  await workspace.connection(before);
  workspace.flush((ids) => ids.reverse());
  await Promise.all(presses);
  await workspace.until(first, 'by ann, in Slack');
  await workspace.until(second, 'Allowed once by ann');
  for (const each of [tab, other]) expect(each.events('interaction_response')).toHaveLength(1);
  expect(workspace.unacknowledged).toBe(0);
});

test('[CHAT4] an answer that cannot be stored is not acknowledged, and is taken when it is delivered again', async () => {
  const { card, answer } = await ask({ title: 'Deploy?' });
  stage.server.store.fault = 'full';
  const press = workspace.press(card, 'Deny');
  await workspace.whisper(({ text }) => text.includes('could not be stored'));
  expect(workspace.unacknowledged).toBe(1);
  stage.server.store.fault = undefined;
  workspace.flush();
  await press;
  expect(await answer()).toMatchObject({ action: 'deny' });
});

test('[CHAT4] a form whose trigger has expired is not opened, and the person learns why', async () => {
  const { card } = await ask({ title: 'Deploy?' });
  const more = { trigger_id: workspace.makeTrigger({ isExpired: true }) };
  await workspace.press(card, 'Deny with a reason…', 'UANN', more);
  expect(await workspace.whisper()).toMatchObject({ user: 'UANN', text: expect.stringContaining('Press the button') });
  const again = workspace.pressOf(card, 'Deny with a reason…');
  await workspace.deliver('interactive', again);
  await workspace.view(1);
  await workspace.deliver('interactive', again); // delivered twice
  expect([workspace.views.length, workspace.whispers.length]).toEqual([1, 1]);
});

test('[CHAT2] nobody answers without a link, with the card of somebody else, or with a changed button', async () => {
  const other = await addToken(stage.server, { role: 'responder', name: 'bob' });
  const { card, tab } = await ask({ title: 'Deploy?' });
  const press = (label: string, user: string, more: object = {}) => workspace.press(card, label, user, more);
  await press('Allow once', 'UBOB'); // somebody who is not linked, or a guest who was sent the card
  await workspace.whisper(({ user, text }) => user === 'UBOB' && text.includes('not linked'));
  const stranger = { user: { id: 'UANN', team_id: 'T0002' }, team: { id: 'T0002' } };
  await press('Allow once', 'UANN', stranger); // the same id in another workspace
  await workspace.say(`link ${await makeCode(stage.server, other.token)}`, 'UBOB');
  await workspace.message(({ text }) => text.includes('linked to bob'));
  await press('Allow once', 'UBOB'); // replayed by somebody who may answer, but with a card of their own
  await workspace.whisper(({ user, text }) => user === 'UBOB' && text.includes('not for this account'));
  const [answers] = card.blocks.filter(({ block_id: id }) => id === 'answers');
  const [allow, deny] = answers?.elements ?? [];
  const { ticket } = JSON.parse(String(deny?.value));
  for (const value of [JSON.stringify({ action: 'approve', ticket }), '{', '{"ticket":1}', '{"ticket":"x"}'])
    await press('Deny', 'UANN', { actions: [{ ...allow, type: 'button', value }] });
  expect(tab.events('interaction_response')).toHaveLength(0);
  expect(isOpen(card)).toBe(true);
  const before = workspace.whispers.length;
  const late = workspace.pressOf(card, 'Allow once');
  await stage.server.store.tokens.remove(stage.ann.id); // a moment ago
  await workspace.deliver('interactive', late);
  await vi.waitFor(() => expect(workspace.whispers.length).toBeGreaterThan(before), { timeout: 30_000 });
  expect(tab.events('interaction_response')).toHaveLength(0);
});

test('[CHAT2] a code works once, and in a channel it is void; channels are sent nothing', async () => {
  const code = await makeCode(stage.server, stage.ann.token);
  await workspace.say(`link ${code}`, 'UBOB', { channel: 'C0001', channel_type: 'channel' });
  await workspace.whisper(({ channel, user, text }) => channel === 'C0001' && user === 'UBOB' && text.includes('void'));
  await workspace.say(`link ${code}`, 'UBOB');
  await workspace.message(({ channel, text }) => channel === 'DBOB' && text.includes('not valid'));
  await workspace.say('Does anybody know?', 'UBOB', { channel: 'C0001', channel_type: 'channel' });
  await workspace.say('hello', 'UBOB');
  await workspace.message(({ channel, text }) => channel === 'DBOB' && text.includes('link CODE'));
  const good = await makeCode(stage.server, stage.ann.token);
  await workspace.say(`\`Link ${good}\``, 'UANN');
  await workspace.message(({ channel, text }) => channel === 'DANN' && text.includes('linked to ann'));
  await workspace.say(`link ${good}`, 'UBOB'); // stolen after its use
  const refusals = () => workspace.messages.filter(({ text }) => text.includes('not valid'));
  await vi.waitFor(() => expect(refusals()).toHaveLength(2), { timeout: 30_000 });
  expect(workspace.messages.filter(({ channel }) => channel.startsWith('C'))).toEqual([]);
});

test('[CHAT2, CHAT4] an account keeps its link under another name, and loses it when it is deactivated', async () => {
  const { card, answer } = await ask({ title: 'Deploy?' });
  workspace.users.set('UANN', 'annika');
  await workspace.press(card, 'Deny');
  expect(await answer()).toMatchObject({ by: { name: 'ann', label: 'annika' } });
  const user = { id: 'UANN', team_id: 'T0001', deleted: true };
  await workspace.deliver('events_api', { team_id: 'T0001', event: { type: 'user_change', user } });
  expect(await stage.server.store.links.list()).toEqual([]);
});

test('[CHAT4] an app with fewer scopes still sends its cards', async () => {
  workspace.fail('conversations.open', { error: 'missing_scope' });
  workspace.fail('conversations.history', { error: 'missing_scope' });
  const bob = await addToken(stage.server, { role: 'operator', name: 'bob' });
  workspace.fail('users.info', { error: 'missing_scope' });
  await workspace.say(`link ${await makeCode(stage.server, bob.token)}`, 'UBOB');
  await workspace.message(({ text }) => text.includes('linked to bob'));
  const { answer } = await ask({ title: 'Deploy?' });
  await workspace.press(await workspace.card('Deploy?', 'UBOB'), 'Deny', 'UBOB');
  expect(await answer()).toMatchObject({ action: 'deny', by: { name: 'bob' } });
});

test.each([
  ['with a file', { subtype: 'file_share' }, 'link '],
  ['without the word “link”', {}, ''],
])('[CHAT2] a code that is written in a channel %s becomes void', async (_, more, words) => {
  const { token } = await addToken(stage.server, { role: 'responder', name: 'bob' });
  const code = await makeCode(stage.server, token);
  await workspace.say(`${words}${code}`, 'UBOB', { channel: 'C0001', channel_type: 'channel', ...more });
  await workspace.say(`link ${code}`, 'UBOB');
  expect((await workspace.message(({ channel }) => channel === 'DBOB')).text).toContain('not valid');
});

test.each([
  ['has a picture', 'Look at this graph first', { subtype: 'file_share' }],
  ['begins with “link”', 'Link: dashboard-prod', {}],
])('[REV4, CHAT2] a comment in the thread that %s is a comment', async (_, words, more) => {
  const { card, tab } = await ask({ title: 'Deploy?' });
  await workspace.say(words, 'UANN', { thread_ts: card.ts, ...more });
  expect((await tab.event('interaction_comment')).payload.text).toBe(words);
});

test('[CHAT2] a code that is written in the thread of a card, where it is a comment that others read, becomes void', async () => {
  const code = await makeCode(stage.server, stage.ann.token);
  const { card, tab } = await ask({ title: 'Deploy?' });
  await workspace.say(`link ${code}`, 'UANN', { thread_ts: card.ts });
  await tab.event('interaction_comment');
  await workspace.say(`link ${code}`, 'UBOB'); // somebody who read the comment
  expect((await workspace.message(({ channel }) => channel === 'DBOB')).text).toContain('not valid');
});

test('[CHAT3] a reason that is sent after another button was pressed is said to be too late', async () => {
  const { card, tab } = await ask({ title: 'Deploy?' });
  await workspace.press(card, 'Deny with a reason…');
  await workspace.view(1);
  await workspace.deliver('interactive', workspace.pressOf(card, 'Deny'));
  await tab.event('interaction_response');
  const said = await workspace.submit({ reason: { type: 'plain_text_input', value: 'The freeze' } });
  expect(JSON.stringify(said)).not.toContain('answerId');
});

test.each([
  ['an unlink', { type: 'message', channel: 'DANN', channel_type: 'im', user: 'UANN', text: 'unlink' }],
  ['a deactivation', { type: 'user_change', user: { id: 'UANN', team_id: 'T0001', deleted: true } }],
])('[CHAT2, CHAT4] %s that is delivered again does not end the link that was made since', async (_, ended) => {
  const at = '1700000100.000100';
  const event = { ...ended, ts: at, event_ts: at };
  const deliver = () => workspace.deliver('events_api', { team_id: 'T0001', event });
  await deliver();
  expect(await stage.server.store.links.list()).toEqual([]);
  const code = await makeCode(stage.server, stage.ann.token);
  await workspace.say(`link ${code}`, 'UANN', { ts: '1700000200.000100' });
  await deliver();
  expect(await stage.server.store.links.list()).toHaveLength(1);
  await workspace.say('unlink', 'UANN', { ts: '1700000300.000100' });
  expect(await stage.server.store.links.list()).toEqual([]);
});

test('[CHAT2, CHAT4] an account that is deactivated loses its link, also if the event was missed', async () => {
  workspace.fail('chat.postMessage', { error: 'user_disabled' });
  await (await begin(stage.server)).ask('ask', { title: 'Deploy?' });
  await vi.waitFor(async () => expect(await stage.server.store.links.list()).toEqual([]), { timeout: 30_000 });
});

test('[CHAT1, CHAT4] a card whose receipt was lost is closed, also if its prompt is settled before the next attempt', async () => {
  workspace.fail('chat.postMessage', 'lost');
  const { card, prompt, tab } = await ask({ title: 'Deploy?' });
  await tab.answer(prompt, { action: 'deny' });
  await workspace.until(card, 'Denied by owner, in Parley');
  expect(buttonsOf(card)).toEqual(['Open']);
});

test('[CHAT4] a message whose receipt was lost is sent once, also if others are sent before the next attempt', async () => {
  workspace.fail('chat.postMessage', 'lost');
  const { card } = await ask({ title: 'Once' });
  await ask({ title: 'Another' });
  await vi.waitFor(() => expect(card.edits).toBe(1), { timeout: 60_000 });
  expect(workspace.messages.filter((message) => titleOf(message) === 'Once')).toHaveLength(1);
});
