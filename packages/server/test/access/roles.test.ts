import { randomUUID } from 'node:crypto';
import type { ClientFrameType, InteractionRequest } from '@parleyhq/core';
import { beforeAll, describe, expect, test } from 'vitest';
import { startGuardedServer, useGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin } from '../support/journey.ts';
import type { Sendable, Tab } from '../support/tab.ts';

const approve = await loadPlugin('approve.mjs');
const scripted = await loadPlugin('scripted.mjs');
const server = useGuardedServer({ plugins: [approve, scripted] });
let owner: Tab;
beforeAll(async () => {
  owner = await server.enter();
});

/** Creates a session of the owner with an open prompt. */
async function ask(text = '/call wipe {"path":"x"}'): Promise<{ session: string; prompt: InteractionRequest }> {
  const session = await owner.createSession();
  await owner.follow(session);
  await owner.say(session, text);
  return { session, prompt: await owner.prompt(session) };
}

const refused = (code: string) => ({ ok: false, error: { code } });
const approval = { action: 'approve' };

/** Returns one of each frame that names a session. */
function framesTo(sessionId: string, { toolCallId: callId, interactionId }: InteractionRequest) {
  const frames: Record<string, Sendable> = {
    subscribe: { type: 'subscribe', sessionId },
    unsubscribe: { type: 'unsubscribe', sessionId },
    read_events: { type: 'read_events', sessionId, before: 10, limit: 10 },
    update_session: { type: 'update_session', sessionId, title: 'Mine' },
    delete_session: { type: 'delete_session', sessionId },
    user_message: { type: 'user_message', sessionId, messageId: randomUUID(), text: 'hello' },
    deny_open: { type: 'deny_open', sessionId, messageId: 'd', text: 'Stop.' },
    edit_queued: { type: 'edit_queued', sessionId, messageId: 'm', text: 'hello' },
    remove_queued: { type: 'remove_queued', sessionId, messageId: 'm' },
    cancel_turn: { type: 'cancel_turn', sessionId },
    tool_interaction_response: {
      type: 'tool_interaction_response',
      sessionId,
      callId,
      interactionId,
      action: 'approve',
    },
    comment_interaction: { type: 'comment_interaction', sessionId, interactionId, commentId: 'k', text: 'Why?' },
    draft: { type: 'draft', sessionId, interactionId, values: {} },
    list_suggestions: { type: 'list_suggestions', sessionId, interactionId },
    decide_suggestion: { type: 'decide_suggestion', sessionId, suggestionId: 's', action: 'allow' },
  } satisfies Partial<Record<ClientFrameType, Sendable>>;
  return Object.entries(frames);
}

describe('[SEC4, APR6] a viewer', () => {
  test('sees everything that happens and can change nothing', async () => {
    const { session, prompt } = await ask();
    const viewer = await server.enter({ role: 'viewer' });
    expect((await viewer.waitFor('welcome')).principal.role).toBe('viewer');
    await viewer.follow(session);
    const before = viewer.events(session).length;
    const mayLook = ['subscribe', 'unsubscribe', 'read_events'];
    for (const [type, frame] of framesTo(session, prompt)) {
      const reply = await viewer.request(frame);
      expect({ type, reply }).toMatchObject({
        type,
        reply: mayLook.includes(type) ? { ok: true } : refused('forbidden'),
      });
    }
    for (const frame of [
      { type: 'create_session' },
      { type: 'create_session', permissionMode: 'bypassPermissions' },
      { type: 'update_session', sessionId: session, permissionMode: 'bypassPermissions' },
      { type: 'revoke_grant', grantId: 'any' },
      { type: 'remove_reviewer', sessionId: session, toolName: 'any', scope: 'session' },
    ] as const) {
      expect(await viewer.request(frame)).toMatchObject(refused('forbidden'));
    }
    expect(owner.events(session)).toHaveLength(before);
    await viewer.follow(session);
    await owner.answer(session, prompt, { action: 'deny' });
    await viewer.event(session, 'turn_end');
  });

  test('can neither answer, nor grant, nor settle by a repeat, whatever it says of itself', async () => {
    const { session, prompt } = await ask();
    const hello = { role: 'operator', principal: { role: 'operator' }, scopes: ['operator'] };
    const viewer = await server.enter({ role: 'viewer' }, { hello });
    await viewer.ask({ type: 'set_interaction_mode', enabled: true });
    for (const approvalScope of ['once', 'session', 'always']) {
      const reply = await viewer.answer(session, prompt, { ...approval, approvalScope, answerId: 'stolen' });
      expect(reply).toMatchObject(refused('forbidden'));
    }
    expect(await owner.answer(session, prompt, { ...approval, answerId: 'mine' })).toMatchObject({ ok: true });
    await owner.event(session, 'turn_end');
    expect(await viewer.answer(session, prompt, approval)).toMatchObject(refused('forbidden'));
    expect(await owner.ask({ type: 'list_grants' })).toEqual({ grants: [] });
    const responses = owner.events(session).filter(({ type }) => type === 'interaction_response');
    expect(responses).toHaveLength(1);
  });

  test('[INT5] is refused for what does not exist before its role, and for its role before its mode', async () => {
    const { session, prompt } = await ask();
    const viewer = await server.enter({ role: 'viewer' }, { enabled: false });
    const nothing = { ...prompt, interactionId: 'nothing' };
    expect(await viewer.answer(session, nothing, approval)).toMatchObject(refused('not_found'));
    expect(await viewer.answer(session, prompt, approval)).toMatchObject(refused('forbidden'));
    await owner.answer(session, prompt, { action: 'deny' });
  });

  test('[INT14] does not count as somebody who can answer', async () => {
    const own = await startGuardedServer({ plugins: [await loadPlugin('scripted.mjs')] });
    const asker = await own.enter(undefined, { enabled: false });
    const session = await asker.createSession();
    await asker.follow(session);
    const call = `/call scripted ${JSON.stringify({ request: { type: 'approval' } })}`;
    await own.enter({ role: 'viewer' });
    await own.enter({ role: 'operator', sessions: ['another'] });
    const first = await asker.say(session, call);
    const result = await asker.event(session, 'tool_result', undefined, first.seq);
    expect(result.payload.error).toMatchObject({ code: 'interaction_unavailable' });
    const responder = await own.enter({ role: 'responder', sessions: [session] });
    await asker.event(session, 'turn_end');
    const second = await asker.say(session, call);
    const prompt = await asker.prompt(session, second.seq);
    expect(await responder.answer(session, prompt, approval)).toMatchObject({ ok: true });
  });
});

test('[SEC4] a responder answers and sends messages, and cannot approve for always, set modes, revoke or delete', async () => {
  const { session, prompt } = await ask();
  const responder = await server.enter({ role: 'responder', name: 'Rita' });
  await responder.follow(session);
  const always = await responder.answer(session, prompt, { ...approval, approvalScope: 'always' });
  expect(always).toMatchObject(refused('forbidden'));
  expect(await responder.answer(session, prompt, { ...approval, approvalScope: 'session' })).toMatchObject({
    ok: true,
  });
  const { by } = (await responder.event(session, 'interaction_response')).payload;
  expect(by).toMatchObject({ name: 'Rita', principal: (await responder.waitFor('welcome')).principal.id });
  await responder.event(session, 'turn_end');
  await responder.say(session, 'hello');
  const { grants } = await responder.ask<{ grants: { id: string }[] }>({ type: 'list_grants' });
  for (const frame of [
    { type: 'update_session', sessionId: session, permissionMode: 'bypassPermissions' },
    { type: 'revoke_grant', grantId: grants[0]?.id as string },
    { type: 'delete_session', sessionId: session },
  ] as const) {
    expect(await responder.request(frame)).toMatchObject(refused('forbidden'));
    expect(await owner.request(frame)).toMatchObject({ ok: true });
  }
});

describe('[SEC4] a token for some sessions', () => {
  test('what it may not see looks like what does not exist, whatever is requested', async () => {
    const { session, prompt } = await ask();
    const outsider = await server.enter({ role: 'operator', sessions: ['elsewhere'] });
    const unknown = framesTo('nowhere', prompt);
    for (const [n, [type, frame]] of framesTo(session, prompt).entries()) {
      const toForbidden = await outsider.request(frame);
      const toUnknown = await outsider.request((unknown[n] as [string, Sendable])[1]);
      expect({ frame: type, ...toForbidden }).toMatchObject({ frame: type, ...refused('not_found') });
      expect({ ...toForbidden, requestId: '' }).toEqual({ ...toUnknown, requestId: '' });
    }
    expect(await outsider.ask({ type: 'list_sessions', before: session })).toEqual({ sessions: [] });
    expect(owner.events(session).at(-1)?.type).toBe('interaction_request');
    await owner.answer(session, prompt, { action: 'deny' });
  });

  test('its welcome has only its sessions and their prompts, and it is notified of no others', async () => {
    const [mine, other] = [await ask(), await ask()];
    const tab = await server.enter({ role: 'responder', sessions: [mine.session] });
    const { sessions, open, principal } = await tab.waitFor('welcome');
    expect(sessions.map(({ id }) => id)).toEqual([mine.session]);
    expect(open.map(({ sessionId }) => sessionId)).toEqual([mine.session]);
    expect(principal).toMatchObject({ sessions: [mine.session] });

    const before = { type: 'list_sessions', before: other.session } as const; // which is newer, and an id below all times
    expect([await tab.ask(before), await owner.ask(before)]).toMatchObject([
      { sessions: [] },
      { sessions: { length: expect.any(Number) } },
    ]);
    const hidden = await owner.createSession();
    await owner.answer(other.session, other.prompt, { ...approval, approvalScope: 'session' });
    await owner.ask({ type: 'update_session', sessionId: other.session, title: 'Renamed' });
    await owner.event(other.session, 'session_changed');
    await owner.ask({ type: 'delete_session', sessionId: hidden });
    await owner.answer(mine.session, mine.prompt, { action: 'deny' });
    await tab.until((frame) => frame.type === 'interaction_settled' && frame.sessionId === mine.session);
    const listed = await tab.ask<{ sessions: { id: string }[] }>({ type: 'list_sessions' });
    expect(listed.sessions.map(({ id }) => id)).toEqual([mine.session]);
    expect(await tab.ask({ type: 'list_grants' })).toEqual({ grants: [] });
    const words = JSON.stringify(tab.frames);
    for (const id of [other.session, hidden]) expect(words).not.toContain(id);
  });

  test('creates no session, allows nothing for always, revokes no foreign grant, reads no metrics', async () => {
    const [mine, other] = [await ask(), await ask('/call wipe {"path":"y"}')];
    await owner.answer(other.session, other.prompt, { ...approval, approvalScope: 'session' });
    await owner.event(other.session, 'turn_end');
    const { id, token } = await server.makeToken({ role: 'operator', sessions: [mine.session] });
    const some = await server.local.open({ hello: { token } });
    expect(await some.request({ type: 'create_session' })).toMatchObject(refused('forbidden'));
    const always = await some.answer(mine.session, mine.prompt, { ...approval, approvalScope: 'always' });
    expect(always).toMatchObject(refused('forbidden'));
    const { grants } = await owner.ask<{ grants: { id: string; sessionId: string }[] }>({ type: 'list_grants' });
    const grantId = grants.find(({ sessionId }) => sessionId === other.session)?.id as string;
    expect(await some.request({ type: 'revoke_grant', grantId })).toMatchObject(refused('not_found'));
    expect(await owner.request({ type: 'revoke_grant', grantId })).toMatchObject({ ok: true });
    const metrics = (given: string) =>
      fetch(`${server.origin}/metrics`, { headers: { Authorization: `Bearer ${given}` } }).then(({ status }) => status);
    expect([await metrics(token), await metrics(server.token)]).toEqual([403, 200]);
    expect(id).not.toBe('owner');
    await owner.answer(mine.session, mine.prompt, { action: 'deny' });
  });
});
