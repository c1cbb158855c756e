import { addToken } from '@parleyhq/server/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { hashLinkCode, makeLinkCode } from '../../src/auth/link-code.ts';
import { ann, answerIn, bob, ChatStage, deploy } from '../support/chat-stage.ts';
import { buttonOf, type FakeChat } from '../support/fake-chat.ts';
import type { Journey } from '../support/journey.ts';
import type { LocalServer } from '../support/local-server.ts';

let stage: ChatStage;
let chat: FakeChat;
let server: LocalServer;
let annsToken: ChatStage['annsToken'];

beforeEach(async () => {
  stage = await ChatStage.begin();
  ({ chat, server, annsToken } = stage);
});

const settlementsOf = ({ tab, session }: Journey) =>
  tab.events(session).filter(({ type }) => type === 'interaction_response');

test('[CHAT1, CHAT2, CHAT3] a linked account gets the whole card, answers it once as its person, and the card says so', async () => {
  await stage.linkAnn();
  const journey = await stage.begin();
  const prompt = await journey.ask('ask', { ...deploy, prompt: 'Now?', approvalScopes: ['once', 'always'] });
  const message = await chat.card(prompt.interactionId);
  expect([message.account, message.card]).toEqual([
    ann.id,
    {
      state: 'open',
      kind: 'approval',
      session: expect.any(String),
      tool: 'ask',
      title: 'Deploy?',
      prompt: 'Now?',
      subject: { kind: 'command', text: 'deploy v2', isCode: true },
      actions: [
        { action: 'approve', label: 'Allow once', ticket: expect.stringMatching(/^[\w.-]{1,48}$/) },
        { action: 'deny', label: 'Deny', ticket: expect.stringMatching(/^[\w.-]{1,48}$/), reason: 'optional' },
      ],
      ticket: expect.stringMatching(/^[\w.-]{1,48}$/),
      url: `${server.httpUrl}/s/${journey.session}/${prompt.interactionId}`,
    },
  ]);
  const pressed = { ...message, card: message.card };
  expect(await chat.press(pressed, 'Allow once', ann)).toMatchObject({ isDone: true, text: 'Allowed once.' });
  expect(await answerIn(journey)).toMatchObject({
    action: 'approve',
    approvalScope: 'once',
    by: { principal: annsToken.id, name: 'ann', role: 'responder', transport: 'fakechat', label: 'Ann B' },
  });
  await chat.card(prompt.interactionId, ({ card }) => card?.state === 'settled');
  expect(message.card).toMatchObject({ actions: [], outcome: 'Allowed once by ann, in Fakechat (Ann B)' });
  expect(await chat.press(pressed, 'Allow once', ann)).toMatchObject({ isDone: true, text: 'Allowed once.' });
  expect(await chat.press(pressed, 'Deny', ann)).toMatchObject({ isDone: false, code: 'already_answered' });
  expect(settlementsOf(journey)).toHaveLength(1);
});

test('[CHAT2] nobody answers with the button of another account, without a link, or with a changed ticket or action', async () => {
  await stage.linkAnn();
  const other = await addToken(server, { role: 'responder', name: 'bob' });
  await chat.link(await stage.makeCode(other.token), bob);
  const journey = await stage.begin();
  const prompt = await journey.ask('ask', deploy);
  const message = await chat.card(prompt.interactionId, ({ account }) => account === ann.id);
  expect(await chat.press(message, 'Deny', { id: '6666' })).toMatchObject({ isDone: false, code: 'unauthorised' });
  expect(await chat.press(message, 'Deny', bob)).toMatchObject({ isDone: false, code: 'forbidden' });
  const deny = buttonOf(message, 'Deny').ticket;
  const changed = [
    { ticket: deny, action: 'approve' },
    { ticket: deny.replace('.d.', '.a.'), action: 'approve' },
    { ticket: `${deny.slice(0, -1)}${deny.endsWith('A') ? 'B' : 'A'}`, action: 'deny' },
    { ticket: String(message.card?.ticket), action: 'deny' },
    { ticket: 'x', action: 'deny' },
  ];
  for (const answer of changed)
    expect(await chat.host.answer(answer, ann)).toMatchObject({ isDone: false, code: 'forbidden' });
  expect(server.server.openPrompts).toBe(1);
  expect(await chat.press(message, 'Deny', ann, { reason: 'too late today' })).toMatchObject({ isDone: true });
  expect(await answerIn(journey)).toMatchObject({ reason: 'too late today' });
});

test('[CHAT2] a code links one account, once; later it links nobody, and burnt or unknown codes never do', async () => {
  const code = await stage.makeCode();
  await chat.link(code, ann);
  expect(await chat.link(code, bob)).toMatchObject({ isDone: false, code: 'not_found' });
  expect(await chat.link(code.toUpperCase(), ann)).toMatchObject({ isDone: true }); // delivered again
  const burnt = await stage.makeCode();
  await chat.host.burn(burnt);
  expect(await chat.link(burnt, bob)).toMatchObject({ isDone: false, code: 'not_found' });
  expect(await chat.link(makeLinkCode(), bob)).toMatchObject({ isDone: false, code: 'not_found' });
  const { links } = await (await stage.call('/api/links')).json();
  expect(links).toEqual([
    { id: expect.any(String), createdAt: expect.any(String), notifier: 'fakechat', account: ann },
  ]);
});

test('[CHAT2, SEC11] an expired code links nobody; a guesser has to wait, and causes no write', async () => {
  const at = Date.now();
  const code = makeLinkCode();
  const made = {
    principal: annsToken.id,
    credential: { tokenId: annsToken.id },
    expiresAt: new Date(at).toISOString(),
  };
  await server.store.links.addCode(hashLinkCode(code), made, { credential: {}, now: at - 1 });
  expect(await chat.link(code, ann)).toMatchObject({ isDone: false, code: 'not_found' });
  let writes = 0;
  server.store.intercept('links', 'redeem', (proceed) => {
    writes += 1;
    return proceed();
  });
  const replies = [];
  for (let n = 0; n < 12; n += 1) replies.push(await chat.link(makeLinkCode(), bob));
  expect(replies.at(-1)).toMatchObject({ isDone: false, code: 'rate_limited' });
  expect(writes).toBe(0);
});

test('[CHAT2] a link ends with its token, at once, and nothing of it answers any more', async () => {
  await stage.linkAnn();
  const journey = await stage.begin();
  const message = { ...(await chat.card((await journey.ask('ask', deploy)).interactionId)) };
  await server.store.tokens.remove(annsToken.id);
  expect(await chat.press(message, 'Deny', ann)).toMatchObject({ isDone: false, code: 'unauthorised' });
  expect(await server.store.links.list()).toEqual([]);
  expect(server.server.openPrompts).toBe(1);
});

test('[CHAT2, SEC9] the claim itself checks the link and the token: ended in between, it stores nothing', async () => {
  await stage.linkAnn();
  const journey = await stage.begin();
  const message = { ...(await chat.card((await journey.ask('ask', deploy)).interactionId)) };
  const [link] = await server.store.links.list();
  server.store.intercept('events', 'append', async (proceed) => {
    server.store.intercept('events', 'append', (next) => next());
    await server.store.links.remove(String(link?.id));
    return proceed();
  });
  expect(await chat.press(message, 'Deny', ann)).toMatchObject({ isDone: false, code: 'unauthorised' });
  expect(server.server.openPrompts).toBe(1);
});

test('[CHAT2] links are listed and ended by their person only', async () => {
  await stage.linkAnn();
  const other = await addToken(server, { role: 'responder', name: 'bob' });
  const listed = await (await stage.call('/api/links')).json();
  expect(listed.chats).toEqual([{ name: 'fakechat', title: 'Fakechat', howToLink: 'Send {code}.' }]);
  const [{ id }] = listed.links;
  expect((await (await stage.call('/api/links', { token: other.token })).json()).links).toEqual([]);
  expect((await stage.call('/api/links', { method: 'DELETE', token: other.token, body: { id } })).status).toBe(404);
  expect((await stage.call('/api/links', { method: 'DELETE', body: { id } })).status).toBe(204);
  expect(await chat.host.unlink(ann)).toMatchObject({ isDone: false });
  const viewer = await addToken(server, { role: 'viewer' });
  expect((await stage.call('/api/links', { method: 'POST', token: viewer.token, body: {} })).status).toBe(403);
});

test('[CHAT3] a card that was answered elsewhere says who and where, also after a restart and a fault', async () => {
  await stage.linkAnn();
  const { journey, prompt: first } = await stage.ask(deploy);
  const { journey: other, prompt: second } = await stage.ask(deploy);
  const [one, two] = [await chat.card(first.interactionId), await chat.card(second.interactionId)];
  await journey.tab.answer(journey.session, first, { action: 'deny' });
  await vi.waitFor(() => expect(one.card?.outcome).toBe('Denied by owner, in Parley'), { timeout: 30_000 });
  chat.faults.push(new Error('the chat is down'), new Error('the chat is still down'));
  await other.tab.answer(other.session, second, { action: 'approve' });
  await server.restart();
  await vi.waitFor(() => expect(two.card?.outcome).toBe('Allowed once by owner, in Parley'), { timeout: 60_000 });
});

const select = (option: object) => ({
  type: 'input',
  prompt: 'Which?',
  inputSchema: { type: 'form', fields: [{ id: 'a', type: 'radio', options: [option] }] },
});

const field = (more: object) => ({
  type: 'input',
  prompt: 'Which?',
  inputSchema: { type: 'form', fields: [{ id: 'note', type: 'textarea', ...more }] },
});

test('[CHAT3] high risk, several votes, long and hidden texts, and more than fits are only opened', async () => {
  await stage.linkAnn();
  const text = (subject: string) => ({ subject: { kind: 'text', text: subject } });
  const cases: [object, RegExp][] = [
    [{ ...deploy, risk: 'high' }, /High risk/],
    [{ ...deploy, decide: { approve: 2 } }, /Several people/],
    [text('x'.repeat(2501)), /too long/],
    [text('rm\u202e safe'), /characters/],
    [{ ...deploy, approvalScopes: ['session'] }, /just once/],
    [{ type: 'url', url: 'https://example.org', prompt: 'Pay?' }, /address/],
    [{ type: 'input', prompt: 'Key?', inputSchema: { type: 'form', fields: [{ id: 'key', type: 'secret' }] } }, /form/],
    [select({ value: 'a', label: 'Draft', preview: 'Dear all, …' }), /form/],
    [select({ value: 'a', label: 'safe\u202e' }), /characters/],
    [select({ value: 'a', label: 'Draft', description: 'x'.repeat(800) }), /too long/],
    [select({ value: 'a', label: 'x'.repeat(801) }), /too long/],
    [{ ...text('x'.repeat(2400)), title: 't'.repeat(200), prompt: 'p'.repeat(800) }, /too long/],
    [field({ description: 'safe\u202e' }), /characters/],
    [field({ placeholder: 'safe\u202e' }), /characters/],
    [field({ defaultValue: 'safe\u202e' }), /characters/],
    [{ ...field({}), initialValues: { note: 'safe\u202e' } }, /characters/],
    [{ ...field({}), initialValues: { note: 'x'.repeat(3001) } }, /form/],
  ];
  for (const [demand, note] of cases) {
    const { card } = await chat.card((await stage.ask(demand)).prompt.interactionId);
    expect(card).toMatchObject({ actions: [], note: expect.stringMatching(note) });
  }
  const { card } = await chat.card((await stage.ask(text('x'.repeat(2500)))).prompt.interactionId);
  expect(card?.actions.map(({ label }) => label)).toEqual(['Allow once', 'Deny']);
  expect(card?.subject?.text).toHaveLength(2500);
  const meant = select({ value: 'a', label: 'Wipe', description: 'Deletes every file.' });
  const choice = await chat.card((await stage.ask(meant)).prompt.interactionId);
  expect(choice.card).toMatchObject({ prompt: 'Which?\nWipe: Deletes every file.', actions: [{ label: 'Wipe' }, {}] });
});

test('[CHAT3] a card always says what is asked: the tool, and the question of a choice', async () => {
  await stage.linkAnn();
  const cardOf = async (demand: object, tool?: string) =>
    (await chat.card((await stage.ask(demand, tool)).prompt.interactionId)).card;
  const title = 'Allow "wipe"?';
  expect(await cardOf({}, 'wipe')).toMatchObject({ tool: 'wipe', title, actions: [{ label: 'Allow once' }, {}] });
  expect(await cardOf({ name: 'x' }, 'wipe')).toMatchObject({ tool: 'wipe', title, subject: { kind: 'json' } });
  expect(await cardOf({ ...deploy, title: ' ' })).toMatchObject({ title: 'Allow "ask"?' });
  const long = 'a long label '.repeat(6).trim();
  const options = [{ value: 'a', label: long }];
  const asked = {
    id: 'a',
    type: 'select',
    label: 'Which cluster is wiped?',
    description: 'It has no backup.',
    options,
  };
  const choice = await cardOf({ type: 'input', inputSchema: { type: 'form', fields: [asked] } });
  expect(choice?.prompt).toBe(['Which cluster is wiped?', 'It has no backup.', long].join('\n'));
});

test('[CHAT3] a choice has a button for each option, and a short form takes values by the same law', async () => {
  await stage.linkAnn();
  const journey = await stage.begin();
  const options = ['red', 'green'].map((value) => ({ value, label: value.toUpperCase() }));
  const choice = await journey.ask('ask', {
    type: 'input',
    prompt: 'Which?',
    inputSchema: { type: 'form', fields: [{ id: 'colour', type: 'radio', required: true, options }] },
  });
  const message = await chat.card(choice.interactionId);
  expect(message.card?.actions.map(({ label }) => label)).toEqual(['RED', 'GREEN', 'Cancel']);
  expect(await chat.press(message, 'GREEN', ann, { values: { colour: 'red' } })).toMatchObject({ isDone: true });
  expect(await answerIn(journey)).toMatchObject({ input: { colour: 'green' } });
  await chat.card(choice.interactionId, ({ card }) => card?.outcome === 'Answered “GREEN” by ann, in Fakechat (Ann B)');
  const form = await journey.ask('ask', {
    type: 'input',
    prompt: 'How many?',
    inputSchema: { type: 'form', fields: [{ id: 'count', type: 'number', required: true, max: 9 }] },
  });
  const shown = await chat.card(form.interactionId);
  expect(shown.card?.form?.fields).toMatchObject([{ id: 'count', type: 'number' }]);
  const wrong = await chat.press(shown, 'Answer', ann, { values: { count: 10 } });
  expect(wrong).toMatchObject({ isDone: false, code: 'invalid', fieldErrors: { count: expect.any(String) } });
  expect(await chat.press(shown, 'Answer', ann, { values: { count: 3 } })).toMatchObject({ isDone: true });
});

test('[CHAT1, REV4] an account comments once, however often its message is delivered; its person is asked again later', async () => {
  await stage.linkAnn();
  const journey = await stage.begin();
  const message = await chat.card((await journey.ask('ask', deploy)).interactionId);
  const ticket = String(message.card?.ticket);
  for (const _ of [1, 2])
    expect(await chat.host.comment({ ticket, text: 'Why now?', id: '7' }, ann)).toMatchObject({
      isDone: true,
      card: { comments: { count: 1, by: 'ann', text: 'Why now?' } },
    });
  const { payload } = await journey.tab.event(journey.session, 'interaction_comment');
  expect(payload).toMatchObject({ text: 'Why now?', by: { principal: annsToken.id, transport: 'fakechat' } });
  expect(await chat.host.snooze({ ticket, minutes: 0.001 }, ann)).toMatchObject({
    isDone: true,
    card: { state: 'snoozed', actions: [], outcome: expect.stringContaining('Postponed until') },
  });
  const again = await chat.message(({ id, account }) => id > message.id && account === ann.id);
  expect(again.card?.actions).toHaveLength(2);
  await chat.press(again, 'Deny', ann);
  await vi.waitFor(() => expect(again.card?.state).toBe('settled'), { timeout: 30_000 });
});

test('[CHAT1] what a chat draws after a press waits for its turn, and is not drawn over what became of the prompt', async () => {
  await stage.linkAnn();
  const journey = await stage.begin();
  const prompt = await journey.ask('ask', deploy);
  const message = await chat.card(prompt.interactionId);
  const open = { state: 'open' } as const;
  const drawn: string[] = [];
  const wait = (signal?: AbortSignal) => new Promise((_, reject) => signal?.addEventListener('abort', reject));
  const retried = chat.host.redraw({ id: message.id }, open, wait); // for a wait that the chat asks for
  await journey.answer(prompt, { action: 'deny' });
  await chat.card(prompt.interactionId, ({ card }) => card?.state === 'settled');
  await retried;
  await chat.host.redraw({ id: message.id }, open, () => drawn.push('open'));
  await chat.host.redraw({ id: message.id }, { state: 'settled' }, () => drawn.push('settled'));
  expect(drawn).toEqual(['settled']);
});
