import type { Session } from '@parleyhq/core';
import { beforeAll, expect, test } from 'vitest';
import { loadPlugin } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

const server = useLocalServer({ plugins: [await loadPlugin('asking.mjs')] });
let tab: Tab;
beforeAll(async () => {
  tab = await server.open();
});

const create = async (title: string) =>
  (await tab.ask<{ session: Session }>({ type: 'create_session', title })).session;

const idsOf = async (filter: { archived?: boolean; query?: string } = {}) =>
  (await tab.ask<{ sessions: Session[] }>({ type: 'list_sessions', ...filter })).sessions.map(({ id }) => id);

const updateOf = (id: string, accepts: (session: Session) => boolean, from = 0) =>
  tab.until((frame) => frame.type === 'session_updated' && frame.session.id === id && accepts(frame.session), from);

test('[WEB8] a session is archived for everybody, found when requested, and unchanged once restored', async () => {
  const session = await create('Put away');
  await tab.ask({ type: 'update_session', sessionId: session.id, archived: true });
  await updateOf(session.id, ({ archived }) => archived === true);
  expect(await idsOf()).not.toContain(session.id);
  expect(await idsOf({ query: 'put AWAY' })).toEqual([]);
  expect(await idsOf({ archived: true, query: 'put AWAY' })).toEqual([session.id]);
  const { sessions } = await (await server.open()).waitFor('welcome');
  expect(sessions.map(({ id }) => id)).not.toContain(session.id);
  await tab.follow(session.id);
  expect(tab.events(session.id)).toMatchObject([{ type: 'session_changed', payload: { archived: true, by: {} } }]);

  const from = tab.frames.length;
  await tab.ask({ type: 'update_session', sessionId: session.id, archived: false });
  const updated = await updateOf(session.id, ({ archived }) => !archived, from);
  const { updatedAt, seq, ...rest } = (updated as { session: Session }).session;
  expect({ ...rest, updatedAt: session.updatedAt, seq: 0 }).toEqual(session);
  expect(seq).toBe(2);
  expect(await idsOf({ archived: true })).not.toContain(session.id);
});

test('[WEB8] prompts in an archived session stay in the inbox, and a message restores the session', async () => {
  const { id } = await create('Asks on');
  await tab.follow(id);
  await tab.say(id, '/call ask_one {"question":"Well?"}');
  const prompt = await tab.prompt(id);
  await tab.ask({ type: 'update_session', sessionId: id, archived: true });
  const { open, sessions } = await (await server.open()).waitFor('welcome');
  expect(sessions.map((session) => session.id)).not.toContain(id);
  expect(open.map(({ interaction }) => interaction.interactionId)).toContain(prompt.interactionId);
  await tab.answer(id, prompt, { action: 'submit', input: { answer: 'Yes' } });
  await tab.event(id, 'turn_end');
  expect(await idsOf({ archived: true })).toContain(id);

  await tab.say(id, 'hello again');
  expect(await idsOf()).toContain(id);
  expect(await idsOf({ archived: true })).not.toContain(id);
});

test("[ASK1, WEB8] a program's next call restores its archived session", async () => {
  const args = { question: 'Ship it?' };
  const call = (callId: string) =>
    tab.ask<{ sessionId: string }>({ type: 'call_tool', channel: 'ci', callId, toolName: 'ask_one', args });
  const { sessionId } = await call('first');
  await tab.ask({ type: 'update_session', sessionId, archived: true });
  expect(await idsOf({ archived: true })).toContain(sessionId);
  await call('second');
  expect(await idsOf()).toContain(sessionId);
});

test('[WEB8] pinned sessions are in every welcome, however many are newer, and marks survive a restart', async () => {
  const [kept, away] = [await create('Kept'), await create('Kept, but away')];
  await tab.ask({ type: 'update_session', sessionId: kept.id, pinned: true });
  await tab.ask({ type: 'update_session', sessionId: away.id, pinned: true, archived: true });
  await Promise.all(Array.from({ length: 100 }, (_, n) => create(`Newer ${n}`)));
  await server.restart();
  tab = await server.open();
  const { sessions } = await tab.waitFor('welcome');
  expect(sessions).toHaveLength(101);
  expect(sessions.at(-1)).toMatchObject({ id: kept.id, pinned: true });
  expect(await idsOf({ archived: true })).toContain(away.id);
  await tab.ask({ type: 'update_session', sessionId: kept.id, pinned: false });
  expect((await (await server.open()).waitFor('welcome')).sessions.at(0)).not.toHaveProperty('pinned');
});
