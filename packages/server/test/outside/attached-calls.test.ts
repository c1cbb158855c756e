import type { ChatEvent, ServerFrameOf } from '@parleyhq/core';
import { beforeEach, expect, test } from 'vitest';
import { useGuardedServer } from '../support/guarded-server.ts';
import { loadShippedPlugin } from '../support/journey.ts';
import { connectMcp, readAnswer } from '../support/mcp-client.ts';
import type { Sendable, Tab } from '../support/tab.ts';

const server = useGuardedServer({ plugins: [await loadShippedPlugin('ask-user')] });
let owner: Tab;
let token: string;
beforeEach(async () => {
  owner = await server.enter();
  token = (await server.makeToken({ role: 'asker' })).token;
});

type Begun = { sessionId: string; toolCallId: string };

const call = {
  channel: 'nightly',
  toolName: 'permission',
  args: { tool_name: 'Bash', input: { command: 'ls' } },
};
const frame = { type: 'call_tool', callId: 'may-1', ...call } as Sendable;
const allowed = { behavior: 'allow', updatedInput: { command: 'ls' } };
const withdrawn = { reason: 'withdrawn', note: 'No longer waiting' };
const enter = () => server.local.open({ hello: { token } });

async function nextPrompt(): Promise<ServerFrameOf<'interaction_opened'>> {
  return (await owner.until(({ type }) => type === 'interaction_opened')) as ServerFrameOf<'interaction_opened'>;
}

async function allow(): Promise<void> {
  const { sessionId, interaction } = await nextPrompt();
  await owner.answer(sessionId, interaction, { action: 'approve' });
}

async function closure(sessionId: string): Promise<ChatEvent<'interaction_closed'>['payload']> {
  await owner.follow(sessionId);
  return (await owner.event(sessionId, 'interaction_closed')).payload;
}

async function send(query: string, path = '/api/calls', body?: object) {
  const response = await fetch(`${server.origin}${path}${query}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { http: response.status, ...((await response.json()) as Partial<Begun>) };
}

test('[ASK4, ASK5] over a socket a permission is sent to the connection that asked, and nobody can repeat or fetch it', async () => {
  const [asker, other] = [await enter(), await enter()];
  const begun = await asker.ask<Begun>(frame);
  const repeat = {
    ok: false,
    error: { code: 'idempotency_conflict', message: expect.stringMatching(/cannot be repeated/) },
  };
  expect(await other.request(frame)).toMatchObject(repeat);
  await allow();
  const isResult = ({ type }: { type: string }) => type === 'call_result';
  expect(await asker.until(isResult)).toMatchObject({ toolCallId: begun.toolCallId, result: allowed });
  expect(await other.request(frame)).toMatchObject(repeat);
  expect(other.frames.filter(isResult)).toEqual([]);
  expect(await send('', `/api/calls/${begun.toolCallId}`)).toMatchObject({ error: { code: 'not_supported' } });
});

test('[ASK4] over a socket a permission ends with the connection that asked', async () => {
  const [asker] = [await enter(), await enter()];
  const { sessionId } = await asker.ask<Begun>(frame);
  await nextPrompt();
  await asker.close();
  expect(await closure(sessionId)).toMatchObject(withdrawn);
});

test('[ASK4, ASK8] by plain HTTP a permission lives for as long as its request waits', async () => {
  const asking = send('?wait=60', undefined, call);
  await allow();
  const done = await asking;
  expect(done).toMatchObject({ http: 200, status: 'done', result: allowed });
  expect(await send('', `/api/calls/${done.toolCallId}`)).toMatchObject({ error: { code: 'not_supported' } });

  const late = await send('?wait=0.05', undefined, call);
  expect(late).toMatchObject({ http: 200, status: 'done', error: { code: 'withdrawn', message: 'No longer waiting' } });
  await owner.follow(late.sessionId ?? '');
  const { payload } = await owner.event(late.sessionId ?? '', 'interaction_closed');
  expect(payload).toMatchObject(withdrawn);

  const refused = { http: 400, error: { code: 'invalid', message: expect.stringMatching(/\?wait=/) } };
  expect(await send('', undefined, call)).toMatchObject(refused);
});

test('[ASK4, ASK6] nobody can fetch a permission by its callId, open or decided', async () => {
  const client = await connectMcp(server.origin, { token });
  const callId = 'may-2';
  const check = async () =>
    readAnswer(await client.callTool({ name: 'check_answer', arguments: { callId, waitSeconds: 0 } }));
  const refused = {
    isError: true,
    text: expect.stringMatching(/only for the request that made the call.*not_supported/),
  };
  const asking = send('?wait=60', undefined, { ...call, callId });
  const { sessionId, interaction } = await nextPrompt();
  expect(await check()).toMatchObject(refused);
  await owner.answer(sessionId, interaction, { action: 'approve' });
  expect(await asking).toMatchObject({ status: 'done', result: allowed });
  expect(await check()).toMatchObject(refused);
});
