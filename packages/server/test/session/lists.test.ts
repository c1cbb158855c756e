import type { Session } from '@parleyhq/core';
import { beforeAll, expect, test, vi } from 'vitest';
import type { Tab } from '../support/tab.ts';
import { startServer, useServer } from '../support/use-server.ts';

const server = useServer();
let tab: Tab;
let other: Tab;
beforeAll(async () => {
  [tab, other] = await Promise.all([server.open(), server.open()]);
});

const list = async (filter: object = {}) =>
  (await tab.ask<{ sessions: Session[] }>({ type: 'list_sessions', ...filter })).sessions;

const updateOf = (each: Tab, id: string, accepts: (session: Session) => boolean) =>
  each.until((frame) => frame.type === 'session_updated' && frame.session.id === id && accepts(frame.session));

test('[FRM1] a new session is announced to everybody, and appears in lists and in welcome', async () => {
  const { session } = await tab.ask<{ session: Session }>({
    type: 'create_session',
    title: 'Named',
    agent: 'demo',
    permissionMode: 'plan',
  });
  expect(session).toEqual({
    id: expect.any(String),
    title: 'Named',
    agent: 'demo',
    permissionMode: 'plan',
    status: 'idle',
    openCount: 0,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
    seq: 0,
  });
  for (const each of [tab, other]) {
    await each.until((frame) => frame.type === 'session_created' && frame.session.id === session.id);
  }
  expect((await list())[0]).toEqual(session);
  expect((await (await server.open()).waitFor('welcome')).sessions[0]).toEqual(session);
});

test("[FRM1] a session's changes are announced to everybody: title, running, waiting with its number of prompts, idle", async () => {
  const id = await tab.createSession();
  await tab.ask({ type: 'update_session', sessionId: id, title: 'Renamed', permissionMode: 'acceptEdits' });
  await updateOf(other, id, ({ title, permissionMode }) => title === 'Renamed' && permissionMode === 'acceptEdits');
  await tab.follow(id);
  expect(tab.events(id)).toMatchObject([
    { type: 'session_changed', payload: { title: 'Renamed', by: { clientId: tab.clientId } } },
  ]);
  const ask = '/call ask_user {"question":"Well?"}';
  await tab.say(id, `${ask}\n${ask}`);
  await updateOf(other, id, ({ status, openCount }) => status === 'waiting' && openCount === 2);
  await tab.ask({ type: 'cancel_turn', sessionId: id });
  await updateOf(other, id, ({ status, openCount, seq }) => status === 'idle' && openCount === 0 && seq > 0);
  expect((await list())[0]).toMatchObject({ id, status: 'idle', openCount: 0 });
});

test('[FRM1] an unknown agent, an unknown mode and an empty title are refused', async () => {
  expect(await tab.request({ type: 'create_session', agent: 'nobody' })).toMatchObject({
    error: { code: 'unknown_agent' },
  });
  const sessionId = await tab.createSession();
  expect(await tab.request({ type: 'update_session', sessionId, agent: 'nobody' })).toMatchObject({
    error: { code: 'unknown_agent' },
  });
  for (const part of [{ permissionMode: 'yolo' }, { title: '' }]) {
    expect(await tab.request({ type: 'update_session', sessionId, ...part } as never)).toMatchObject({
      error: { code: 'bad_frame' },
    });
  }
});

test('[FRM1] list_sessions pages by before, finds by query and stops at limit, newest first', async () => {
  const ids: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    const { session } = await tab.ask<{ session: Session }>({ type: 'create_session', title: `Paged %_ ${n}` });
    ids.unshift(session.id);
  }
  const found: Session[] = [];
  for (let page = await list({ query: 'pAGED %_', limit: 5 }); page.length > 0; ) {
    expect(page.length).toBeLessThanOrEqual(5);
    found.push(...page);
    page = await list({ query: 'pAGED %_', limit: 5, before: page.at(-1)?.updatedAt });
  }
  expect(found.map(({ id }) => id)).toEqual(ids);
  expect(await list({ query: 'no such title' })).toEqual([]);
  const newest = Date.parse(found[0]?.updatedAt as string);
  await vi.waitUntil(() => Date.now() > newest, { interval: 1 }); // sessions changed in the same millisecond are listed by id
  await tab.ask({ type: 'update_session', sessionId: ids[7] as string, title: 'Paged first' });
  expect((await list({ limit: 1 }))[0]).toMatchObject({ id: ids[7], title: 'Paged first' });
});

test('[FRM1] paging finds all sessions created in the same instant', async () => {
  tab.sendTogether(
    Array.from({ length: 40 }, (_, n) => ({ type: 'create_session', requestId: `b${n}`, title: 'Burst' })),
  );
  await tab.until((frame) => frame.type === 'reply' && frame.requestId === 'b39');
  const found: Session[] = [];
  for (let page = await list({ query: 'Burst', limit: 7 }); page.length > 0; ) {
    found.push(...page);
    const { id, updatedAt } = page.at(-1) as Session;
    page = await list({ query: 'Burst', limit: 7, before: found.length % 2 ? id : updatedAt });
  }
  expect(new Set(found.map(({ id }) => id)).size).toBe(40);
});

test('[OPS5] deleting a session settles its open prompts and is announced to everybody; then nothing finds it', async () => {
  const sessionId = await tab.createSession();
  await Promise.all([tab.follow(sessionId), other.follow(sessionId)]);
  await tab.say(sessionId, '/call ask_user {"question":"Well?"}');
  const prompt = await tab.prompt(sessionId);
  await other.ask({ type: 'delete_session', sessionId });
  for (const each of [tab, other]) {
    await each.until((frame) => frame.type === 'session_deleted' && frame.session.id === sessionId);
    expect(await each.event(sessionId, 'interaction_closed')).toMatchObject({ payload: { reason: 'session_ended' } });
    expect(await each.event(sessionId, 'tool_result')).toMatchObject({ payload: { error: { code: 'cancelled' } } });
  }
  const { toolCallId: callId, interactionId } = prompt;
  const frames = [
    { type: 'subscribe', sessionId },
    { type: 'unsubscribe', sessionId },
    { type: 'read_events', sessionId, before: 5, limit: 5 },
    { type: 'user_message', sessionId, messageId: 'm', text: 'hello?' },
    { type: 'edit_queued', sessionId, messageId: 'm', text: 'hello?' },
    { type: 'remove_queued', sessionId, messageId: 'm' },
    { type: 'update_session', sessionId, title: 'x' },
    { type: 'cancel_turn', sessionId },
    { type: 'tool_interaction_response', sessionId, callId, interactionId, action: 'cancel' },
    { type: 'draft', sessionId, interactionId, values: {} },
    { type: 'delete_session', sessionId },
  ] as const;
  for (const frame of frames) {
    expect([frame.type, await tab.request(frame)]).toMatchObject([frame.type, { error: { code: 'not_found' } }]);
  }
  expect((await list()).map(({ id }) => id)).not.toContain(sessionId);
  const deletedAt = tab.frames.findIndex((frame) => frame.type === 'session_deleted' && frame.session.id === sessionId);
  tab.send({ type: 'ping' });
  await tab.until((frame) => frame.type === 'pong');
  const later = tab.frames.slice(deletedAt).filter(({ type }) => /^(session_updated|presence|stream)$/.test(type));
  expect(later.filter((frame) => JSON.stringify(frame).includes(sessionId))).toEqual([]);
});

test('[OPS5] frames sent right after the deletion of a session do not find it', async () => {
  const sessionId = await tab.createSession();
  const [deleted, ...behind] = await Promise.all([
    tab.request({ type: 'delete_session', sessionId }),
    tab.request({ type: 'delete_session', sessionId }),
    tab.request({ type: 'user_message', sessionId, messageId: 'behind', text: '/call collect_email' }),
    tab.request({ type: 'subscribe', sessionId }),
  ]);
  expect(deleted).toMatchObject({ ok: true });
  for (const reply of behind) expect(reply).toMatchObject({ error: { code: 'not_found' } });
});

test('[OPS5] a deleted session stays deleted after a restart', async () => {
  const own = await startServer();
  const before = await own.open();
  const [gone, kept] = [await before.createSession(), await before.createSession()];
  await before.say(gone, '/call ask_user {"question":"Well?"}');
  await before.until((frame) => frame.type === 'interaction_opened');
  await before.ask({ type: 'delete_session', sessionId: gone });
  await own.restart();
  const { sessions, open } = await (await own.open()).waitFor('welcome');
  expect([sessions.map(({ id }) => id), open]).toEqual([[kept], []]);
});
