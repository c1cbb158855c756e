import type { ChatEvent, Json, Session } from '@parleyhq/core';
import { beforeEach, describe, expect, test } from 'vitest';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin } from '../support/journey.ts';
import type { Sendable, Tab } from '../support/tab.ts';

let server: GuardedServer;
let owner: Tab;
let asker: Tab;
let token: string;
beforeEach(async () => {
  server = await startGuardedServer({ plugins: [await loadPlugin('asking.mjs')] });
  owner = await server.enter();
  token = (await server.makeToken({ role: 'asker', name: 'ci' })).token;
  asker = await server.local.open({ hello: { token } });
});

type Begun = { sessionId: string; toolCallId: string };

function ask(tab: Tab, part: object = {}): Promise<Begun> {
  return tab.ask<Begun>(frame(part));
}

function frame(part: object = {}): Sendable {
  const from = { name: 'Nightly build', detail: 'main' };
  const args = { question: 'Ship it?' };
  return {
    type: 'call_tool',
    channel: 'nightly',
    callId: 'ship-1',
    toolName: 'ask_one',
    args,
    from,
    ...part,
  } as Sendable;
}

async function resultOf(tab: Tab, { toolCallId }: Begun): Promise<object> {
  const told = await tab.until((each) => each.type === 'call_result' && each.toolCallId === toolCallId);
  const { result, error } = told as { result?: Json; error?: Json };
  return { result, error };
}

async function answer(begun: Begun, text: string): Promise<void> {
  await owner.follow(begun.sessionId);
  const isOf = ({ payload }: ChatEvent<'interaction_request'>) => payload.toolCallId === begun.toolCallId;
  const { payload } = await owner.event(begun.sessionId, 'interaction_request', isOf);
  await owner.answer(begun.sessionId, payload, { action: 'submit', input: { answer: text } });
}

const typesIn = (events: readonly ChatEvent[]) => events.map(({ type }) => type);

describe('call_tool', () => {
  test('[ASK1] a call from outside is a turn of its own session, and its caller gets the result', async () => {
    const begun = await ask(asker);
    await answer(begun, 'yes');
    expect(await resultOf(asker, begun)).toEqual({ result: { answer: 'yes' } });
    await owner.event(begun.sessionId, 'turn_end');
    const events = owner.events(begun.sessionId);
    expect(typesIn(events)).toEqual([
      'turn_start',
      'tool_call',
      'interaction_request',
      'interaction_response',
      'tool_result',
      'turn_end',
    ]);
    const [start, call, , , , end] = events;
    expect(start?.payload).toMatchObject({ trigger: 'outside', agent: 'outside' });
    expect(call?.payload).toMatchObject({ callId: 'ship-1', from: { name: 'Nightly build', detail: 'main' } });
    expect(end?.payload).toEqual({ status: 'completed' });
    const { sessions } = await owner.ask<{ sessions: Session[] }>({ type: 'list_sessions' });
    expect(sessions[0]).toMatchObject({ title: 'Nightly build', agent: 'outside', status: 'idle' });
  });

  test('[ASK1] calls run side by side in one turn, which ends with the last of them', async () => {
    const first = await ask(asker);
    const second = await ask(asker, { callId: 'ship-2', args: { question: 'And now?' } });
    expect(second.sessionId).toBe(first.sessionId);
    await answer(second, 'two');
    expect(await resultOf(asker, second)).toEqual({ result: { answer: 'two' } });
    await answer(first, 'one');
    expect(await resultOf(asker, first)).toEqual({ result: { answer: 'one' } });
    await owner.event(first.sessionId, 'turn_end');
    const types = typesIn(owner.eventsSinceSnapshot(first.sessionId));
    expect(types.filter((type) => type === 'turn_start' || type === 'turn_end')).toEqual(['turn_start', 'turn_end']);
    expect(types.at(-1)).toBe('turn_end');
  });

  test('[ASK1] the same callId is the same call, whatever its channel, also if both come at once', async () => {
    const [begun, twin] = await Promise.all([ask(asker), ask(asker)]);
    expect(twin).toEqual(begun);
    expect(await ask(asker, { channel: 'other' })).toEqual(begun);
    await answer(begun, 'yes');
    await resultOf(asker, begun);
    asker.frames.length = 0;
    expect(await ask(asker)).toEqual(begun);
    expect(await resultOf(asker, begun)).toEqual({ result: { answer: 'yes' } });
    expect(owner.eventsSinceSnapshot(begun.sessionId).filter(({ type }) => type === 'tool_call')).toHaveLength(1);
  });

  test.each([
    ['other arguments', { args: { question: 'Delete it?' } }],
    ['another tool', { toolName: 'do_more' }],
  ])('[ASK1] a callId with %s is a conflict', async (_, part) => {
    await ask(owner);
    const reply = await owner.request(frame(part));
    expect(reply).toMatchObject({ ok: false, error: { code: 'idempotency_conflict' } });
  });

  test('[ASK1] two principals have their own channels and callIds', async () => {
    const mine = await ask(asker);
    const other = await server.enter({ role: 'asker', name: 'other' });
    const theirs = await ask(other);
    expect(theirs.sessionId).not.toBe(mine.sessionId);
    expect(theirs.toolCallId).not.toBe(mine.toolCallId);
  });

  test('[ASK1] people cannot talk, or change the agent or the mode, in a session of a program', async () => {
    const { sessionId } = await ask(asker);
    const refused = { ok: false, error: { code: 'not_supported' } };
    const messageId = 'm1';
    expect(await owner.request({ type: 'user_message', sessionId, messageId, text: 'Hello?' })).toMatchObject(refused);
    expect(await owner.request({ type: 'update_session', sessionId, agent: 'demo' })).toMatchObject(refused);
    expect(await owner.request({ type: 'update_session', sessionId, permissionMode: 'plan' })).toMatchObject(refused);
    expect(await owner.request({ type: 'update_session', sessionId, title: 'Builds' })).toMatchObject({ ok: true });
    expect(await owner.request({ type: 'create_session', agent: 'outside' })).toMatchObject({
      ok: false,
      error: { code: 'unknown_agent' },
    });
    const inside = await owner.createSession();
    expect(await owner.request(frame({ sessionId: inside, channel: undefined }))).toMatchObject(refused);
  });

  test('[ASK1] stopping the turn cancels every open call', async () => {
    const first = await ask(asker);
    const second = await ask(asker, { callId: 'ship-2' });
    await owner.follow(first.sessionId);
    await owner.ask({ type: 'cancel_turn', sessionId: first.sessionId });
    for (const begun of [first, second])
      expect(await resultOf(asker, begun)).toMatchObject({ error: { code: 'cancelled' } });
    const again = await ask(asker, { callId: 'ship-3' });
    await answer(again, 'yes');
    expect(await resultOf(asker, again)).toEqual({ result: { answer: 'yes' } });
  });

  test('[OPS5] a deleted session frees its channel and its keys', async () => {
    const begun = await ask(asker);
    await owner.ask({ type: 'delete_session', sessionId: begun.sessionId });
    const again = await ask(asker);
    expect(again.sessionId).not.toBe(begun.sessionId);
    expect(again.toolCallId).not.toBe(begun.toolCallId);
  });
});

describe('withdraw_call', () => {
  test('[ASK4] the caller withdraws its question: the card closes, and shows why', async () => {
    const begun = await ask(asker);
    await owner.follow(begun.sessionId);
    await owner.prompt(begun.sessionId);
    const note = 'The build failed anyway.';
    expect(await asker.ask({ type: 'withdraw_call', ...begun, note })).toEqual({ withdrawn: true });
    expect(await resultOf(asker, begun)).toEqual({ error: { code: 'withdrawn', message: note } });
    const { payload } = await owner.event(begun.sessionId, 'interaction_closed');
    expect(payload).toMatchObject({ reason: 'withdrawn', note });
    await owner.event(begun.sessionId, 'turn_end');
  });

  test('[ASK4] an answered question cannot be withdrawn: the reply says who answered and when', async () => {
    const begun = await ask(asker);
    await answer(begun, 'yes');
    await resultOf(asker, begun);
    const reply = await asker.ask({ type: 'withdraw_call', ...begun });
    expect(reply).toMatchObject({ withdrawn: false, by: { principal: 'owner' }, at: expect.any(String) });
  });

  test('[ASK4] another asker’s call can be withdrawn by operators only, and a call of an agent by nobody', async () => {
    const begun = await ask(asker);
    const other = await server.enter({ role: 'asker', name: 'other' });
    const withdraw = { type: 'withdraw_call', ...begun } as const;
    expect(await other.request(withdraw)).toMatchObject({ ok: false, error: { code: 'not_found' } });
    const responder = await server.enter({ role: 'responder', name: 'Ann' });
    expect(await responder.request(withdraw)).toMatchObject({ ok: false, error: { code: 'forbidden' } });
    expect(await owner.ask(withdraw)).toEqual({ withdrawn: true });
    const inside = await owner.createSession();
    await owner.follow(inside);
    const { seq } = await owner.say(inside, '/call ask_one {"question":"Well?"}');
    const { toolCallId } = await owner.prompt(inside, seq);
    expect(await owner.request({ type: 'withdraw_call', sessionId: inside, toolCallId })).toMatchObject({
      ok: false,
      error: { code: 'not_supported' },
    });
  });
});

describe('an asker', () => {
  test('[ASK2] can call tools that ask, and no others', async () => {
    expect(await asker.request(frame({ toolName: 'do_more' }))).toMatchObject({
      ok: false,
      error: { code: 'forbidden' },
    });
    expect(await asker.request(frame({ toolName: 'no_such_tool' }))).toMatchObject({
      ok: false,
      error: { code: 'forbidden' },
    });
    expect(await resultOf(owner, await ask(owner, { toolName: 'do_more', callId: 'more', args: {} }))).toEqual({
      result: 'done',
    });
  });

  test('[ASK2] sees only its own channels, including those that another connection of its token created', async () => {
    const own = await ask(asker);
    const twin = await server.local.open({ hello: { token } });
    const welcome = await twin.waitFor('welcome');
    expect(welcome.sessions.map(({ id }) => id)).toEqual([own.sessionId]);
    expect(welcome).toMatchObject({ open: [], openTotal: 0, principal: { role: 'asker', sessions: [own.sessionId] } });
    const later = await ask(asker, { channel: 'second', callId: 'second' });
    await twin.follow(later.sessionId);
    const inside = await owner.createSession();
    expect(await twin.request({ type: 'subscribe', sessionId: inside })).toMatchObject({
      ok: false,
      error: { code: 'not_found' },
    });
  });

  test('[ASK2] can answer nothing, not even its own question', async () => {
    const begun = await ask(asker);
    await asker.follow(begun.sessionId);
    const prompt = await asker.prompt(begun.sessionId);
    const reply = await asker.answer(begun.sessionId, prompt, { action: 'submit', input: { answer: 'yes' } });
    expect(reply).toMatchObject({ ok: false, error: { code: 'forbidden' } });
  });
});
