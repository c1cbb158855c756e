import { StoreError } from '@parleyhq/core';
import { beforeEach, expect, test, vi } from 'vitest';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { ann, answerIn, ChatStage, deploy } from '../support/chat-stage.ts';
import type { FakeChat } from '../support/fake-chat.ts';
import type { LocalServer } from '../support/local-server.ts';

let stage: ChatStage;
let chat: FakeChat;
let server: LocalServer;

beforeEach(async () => {
  stage = await ChatStage.begin();
  ({ chat, server } = stage);
  await stage.linkAnn();
});

const final = (message: string) => Object.assign(new Error(message), { isFinal: true });

const choice = {
  type: 'input',
  prompt: 'Which?',
  inputSchema: { type: 'form', fields: [{ id: 'a', type: 'radio', options: [{ value: 'x', label: 'The red one' }] }] },
};

test('[CHAT1, DUR8] whatever of a chat cannot be stored is thrown with the code of the storage', async () => {
  server.store.fault = 'busy';
  await expect(chat.host.state.set('dialog', { todo: [] })).rejects.toMatchObject({ code: 'storage_busy' });
  await expect(chat.host.state.delete('dialog')).rejects.toMatchObject({ code: 'storage_busy' });
  await expect(chat.host.burn('0123456789abcdef')).rejects.toMatchObject({ code: 'storage_busy' });
  server.store.fault = undefined;
  server.store.intercept('pluginState', 'get', () => Promise.reject(new StoreError('failed', 'it is away')));
  await expect(chat.host.state.get('dialog')).rejects.toMatchObject({ code: 'storage_failed' });
});

test('[CHAT1] a form that is delivered again after its answer gets the stored reply', async () => {
  const fields = [{ id: 'count', type: 'number', required: true }];
  const { prompt } = await stage.ask({ type: 'input', prompt: 'How many?', inputSchema: { type: 'form', fields } });
  const message = { ...(await chat.card(prompt.interactionId)) };
  const send = (count: number) => chat.press(message, 'Answer', ann, { values: { count } });
  expect(await send(3)).toMatchObject({ isDone: true });
  const shown = await chat.host.card(String(message.card?.ticket), ann);
  expect(shown.card).toMatchObject({ state: 'settled', actions: [], form: { fields } }); // what is read of it again
  expect(await send(3)).toMatchObject({ isDone: true, text: 'Submitted.' });
  expect(await send(4)).toMatchObject({ isDone: false });
});

test('[CHAT1, CHAT3] a message that is not known any more cannot be postponed, but answered', async () => {
  chat.losses.push(new Error('the reply was lost'));
  const { journey, prompt } = await stage.ask(deploy);
  const message = await chat.card(prompt.interactionId);
  const ticket = String(message.card?.ticket);
  expect(await chat.host.snooze({ ticket, minutes: 10 }, ann)).toMatchObject({
    ...{ isDone: false, code: 'not_found', text: expect.stringContaining('not known any more') },
    card: { state: 'open' },
  });
  expect(await chat.press(message, 'Deny', ann)).toMatchObject({ isDone: true });
  expect(await answerIn(journey)).toMatchObject({ action: 'deny' });
});

test('[CHAT1, CHAT3] a postponed prompt comes as another message, also if that fails at first, and the first loses its buttons', async () => {
  const { prompt } = await stage.ask(deploy);
  const message = await chat.card(prompt.interactionId);
  chat.faults.push(new Error('the chat is down'));
  await chat.host.snooze({ ticket: String(message.card?.ticket), minutes: 0.001 }, ann);
  const again = await chat.message(({ id, news }) => id > message.id && news.interactionId === prompt.interactionId);
  expect(again.card?.actions).toHaveLength(2);
  expect(message).toMatchObject({ edits: 1, card: { state: 'snoozed', actions: [], outcome: 'Asked again' } });
});

test('[CHAT1, CHAT3] a postponed prompt comes again although its first message cannot be changed any more', async () => {
  const { prompt } = await stage.ask(deploy);
  const message = await chat.card(prompt.interactionId);
  chat.faults.push(final('the message is too old'));
  await chat.host.snooze({ ticket: String(message.card?.ticket), minutes: 0.001 }, ann);
  const again = await chat.message(({ id, news }) => id > message.id && news.interactionId === prompt.interactionId);
  expect([again.card?.actions.length, message.edits]).toEqual([2, 0]);
});

test('[CHAT1, CHAT3] a card is closed with its session, although the log has nothing of it any more', async () => {
  const { journey, prompt } = await stage.ask(deploy);
  const message = await chat.card(prompt.interactionId);
  chat.faults.push(new Error('the chat is down')); // the next attempt finds no session
  await journey.tab.request({ type: 'delete_session', sessionId: journey.session });
  await vi.waitFor(() => expect(message.card?.outcome).toBe('Closed with its session'), { timeout: 30_000 });
});

test('[CHAT2, CHAT3] cards lose their buttons with the link of their account, also after a restart; a new link gets cards of its own', async () => {
  const { journey, prompt } = await stage.ask(deploy);
  const message = await chat.card(prompt.interactionId);
  const pressed = { ...message };
  const [link] = await server.store.links.list();
  chat.faults.push(new Error('the chat is down'));
  await server.store.links.remove(String(link?.id));
  await server.restart();
  await vi.waitFor(() => expect(message.card?.outcome).toBe('You are not asked here any more'), { timeout: 30_000 });
  expect(message.card).toMatchObject({ state: 'settled', actions: [] });
  expect(JSON.stringify(message.card)).not.toContain('deploy v2');
  await stage.linkAnn();
  const again = await chat.card(prompt.interactionId, ({ id }) => id > message.id);
  expect(await chat.press(pressed, 'Deny', ann)).toMatchObject({ isDone: false, code: 'forbidden' });
  expect(
    (await stage.call('/api/links', { method: 'DELETE', body: { id: (await server.store.links.list())[0]?.id } })).ok,
  ).toBe(true);
  await vi.waitFor(() => expect(again.card?.actions).toEqual([]), { timeout: 30_000 });
  expect([server.server.openPrompts, journey.tab.events(journey.session).at(-1)?.type]).toEqual([
    1,
    'interaction_request',
  ]);
});

test('[CHAT1] a card that could not be changed for a comment is closed nevertheless', async () => {
  const { journey, prompt } = await stage.ask(deploy);
  const message = await chat.card(prompt.interactionId);
  chat.faults.push(final('the message has too many edits'));
  const { interactionId } = prompt;
  const said = { type: 'comment_interaction', interactionId, commentId: 'c-1', text: 'Wait for me' } as const;
  await journey.tab.request({ ...said, sessionId: journey.session });
  const findDelivery = async () => (await server.store.deliveries.list({ limit: 1 }))[0];
  await expect.poll(findDelivery).toMatchObject({ state: 'sent', fault: 'the message has too many edits' });
  await journey.answer(prompt, { action: 'deny' });
  await vi.waitFor(() => expect(message.card?.outcome).toBe('Denied by owner, in Parley'), { timeout: 30_000 });
});

test('[CHAT3] the outcome names a long label in part, and none of a prompt that only some people may see', async () => {
  const audience = { principals: [stage.annsToken.id, 'owner'] };
  const { journey, prompt } = await stage.ask({ ...choice, audience, visibility: 'audience' });
  const hidden = await chat.card(prompt.interactionId);
  await journey.submit(prompt, { a: 'x' });
  await vi.waitFor(() => expect(hidden.card?.outcome).toBe('Submitted by owner, in Parley'), { timeout: 30_000 });
  const options = [{ value: 'x', label: 'x'.repeat(5000) }];
  const long = await stage.ask({
    ...choice,
    inputSchema: { type: 'form', fields: [{ id: 'a', type: 'radio', options }] },
  });
  const message = await chat.card(long.prompt.interactionId);
  await long.journey.submit(long.prompt, { a: 'x' });
  await vi.waitFor(() => expect(message.card?.outcome).toMatch(/^Answered “x{199}…” by owner/), { timeout: 30_000 });
});

test('[CHAT1, NTF4] deliveries are listed without what identifies their messages', async () => {
  const { prompt } = await stage.ask(deploy);
  const { card } = await chat.card(prompt.interactionId);
  await chat.host.snooze({ ticket: String(card?.ticket), minutes: 10 }, ann);
  const { deliveries } = await (await stage.call('/api/deliveries?limit=5')).json();
  expect(Object.keys(deliveries[0]).sort()).toEqual(
    ['at', 'attempts', 'interactionId', 'principal', 'sessionId', 'state', 'target'].sort(),
  );
});

test('[CHAT1, CHAT3] messages that cannot be changed for a while hold up neither the others of their account nor postponing', async () => {
  const asked = await Promise.all(['One', 'Two', 'Three', 'Four', 'Five'].map((title) => stage.ask({ title })));
  const messages = await Promise.all(asked.map(({ prompt }) => chat.card(prompt.interactionId)));
  for (const { id } of messages.slice(0, 3)) chat.stuck.add(id);
  const settled = asked.slice(0, 4).map(({ journey, prompt }) => journey.answer(prompt, { action: 'deny' }));
  await Promise.all(settled);
  await chat.message(({ id, card }) => id === messages[3]?.id && card?.state === 'settled');
  const ticket = String(messages[4]?.card?.ticket);
  expect(await chat.host.snooze({ ticket, minutes: 10 }, ann)).toMatchObject({ isDone: true });
  expect(messages.map(({ card }) => card?.state)).toEqual(['open', 'open', 'open', 'settled', 'open']);
  expect((await server.store.deliveries.list({ limit: 10 })).filter(({ isSnoozed }) => isSnoozed)).toHaveLength(1);
});

test('[CHAT2] the link of an account that is gone ends when it is written to, and by no other failure', async () => {
  const { prompt } = await stage.ask(deploy);
  const message = await chat.card(prompt.interactionId);
  chat.faults.push(final('it is refused'));
  const refused = await stage.ask({ title: 'Refused' });
  const states = async () => (await server.store.deliveries.list({ limit: 10 })).map(({ state }) => state);
  await expect.poll(states).toContain('failed');
  expect(await server.store.links.list()).toHaveLength(1);
  chat.faults.push(Object.assign(final('it is deactivated'), { code: 'account_gone' }));
  await stage.ask({ title: 'Gone' });
  await chat.message(({ id, card }) => id === message.id && card?.outcome === 'You are not asked here any more');
  expect(await server.store.links.list()).toEqual([]);
  expect(chat.messages.filter(({ news }) => news.interactionId === refused.prompt.interactionId)).toEqual([]);
});

test.each([
  ['unclear', 'to look for the message', true],
  ['clear', 'nothing', false],
])('[CHAT1] a chat whose failure to send is %s is asked %s when the prompt is settled', async (_, __, isUnclear) => {
  chat.losses.push(Object.assign(new Error('the reply was lost'), { isUnclear }));
  const { journey, prompt } = await stage.ask(deploy);
  await chat.card(prompt.interactionId);
  await expect.poll(async () => (await server.store.deliveries.list({ limit: 1 }))[0]?.state).toBe('due');
  await journey.answer(prompt, { action: 'deny' });
  await expect.poll(async () => (await server.store.deliveries.list({ limit: 1 }))[0]?.state).toBe('withdrawn');
  expect(chat.messages.at(-1)).toMatchObject({
    news: { type: isUnclear ? 'settled' : 'waiting' },
    card: { state: isUnclear ? 'settled' : 'open' },
  });
});

test('[CHAT4] people who are asked in a chat have no settings of their own: a bot to which nobody listens would ask them', async () => {
  const start = (people: Record<string, Record<string, string>>) =>
    ChatStage.begin({ reach: { keys: makePushKeys(), notifiers: [{ notifier: 'fakechat', people }] } });
  await expect(start({ ann: { token: 'of another bot' } })).rejects.toThrow('cannot have settings for "ann" alone');
  const only = await start({ ann: {} });
  await only.linkAnn();
  const { prompt } = await only.ask(deploy);
  await only.chat.card(prompt.interactionId);
});
