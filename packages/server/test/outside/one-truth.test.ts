import { randomUUID } from 'node:crypto';
import type { InteractionRequest, ServerFrameOf } from '@parleyhq/core';
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
  token = (await server.makeToken({ role: 'asker', name: randomUUID() })).token;
});

const question = { channel: 'nightly', toolName: 'ask_human', args: { question: 'Ship it?' } };
const call = (callId: string, part = {}) => ({ type: 'call_tool', callId, ...question, ...part }) as Sendable;

function post(path: string, body: object, as = token, signal?: AbortSignal) {
  return fetch(`${server.origin}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
}

async function opened(tab = owner): Promise<ServerFrameOf<'interaction_opened'>> {
  return (await tab.until(({ type }) => type === 'interaction_opened')) as ServerFrameOf<'interaction_opened'>;
}

const answerPath = (sessionId: string, { interactionId }: InteractionRequest) =>
  `/api/sessions/${sessionId}/interactions/${interactionId}/response`;
const submit = (answer: string) => ({ action: 'submit', input: { answer } });

test('[ASK1, ASK9] one call over a socket, HTTP and MCP: the same question and the same answer', async () => {
  const callId = randomUUID();
  const asker = await server.local.open({ hello: { token } });
  const client = await connectMcp(server.origin, { token });
  const byHttp = post('/api/calls?wait=60', { callId, ...question }).then((response) => response.json());
  const { sessionId, interaction } = await opened();
  const begun = await asker.ask<{ toolCallId: string }>(call(callId));
  const byMcp = client.callTool({ name: 'ask_human', arguments: { ...question.args, callId } });
  expect(begun.toolCallId).toBe(interaction.toolCallId);
  await owner.answer(sessionId, interaction, submit('yes'));
  const result = { ok: true, answer: 'yes', by: { principal: 'owner' }, at: expect.any(String) };
  expect(await byHttp).toMatchObject({ status: 'done', toolCallId: begun.toolCallId, result });
  expect(readAnswer(await byMcp).value).toEqual(result);
  expect(await asker.until(({ type }) => type === 'call_result')).toMatchObject({ ...begun, result });
  await owner.follow(sessionId);
  expect(owner.events(sessionId).filter(({ type }) => type === 'interaction_request')).toHaveLength(1);
});

test.each(['ws', 'http'] as const)(
  '[ASK9, INT5] what is answered by %s is settled in every tab and for its caller, with who and where; who comes later hears who won',
  async (transport) => {
    const ann = await server.enter({ role: 'responder', name: `Ann ${transport}` });
    const elsewhere = await server.enter(); // in another session: it has the inbox
    const { token: annsToken } = await server.makeToken({ role: 'responder', name: `Anna ${transport}` });
    const asking = post('/api/calls?wait=60', { callId: randomUUID(), ...question }).then((reply) => reply.json());
    const { sessionId, interaction } = await opened();
    await Promise.all([owner.follow(sessionId), ann.follow(sessionId)]);
    if (transport === 'ws') await ann.answer(sessionId, interaction, submit('yes'));
    else expect((await post(answerPath(sessionId, interaction), submit('yes'), annsToken)).status).toBe(200);
    const { payload } = await owner.event(sessionId, 'interaction_response');
    expect(payload.by).toMatchObject({ name: expect.stringContaining('Ann'), transport });
    const settled = { sessionId, interactionId: interaction.interactionId, status: 'answered' };
    expect(await elsewhere.until(({ type }) => type === 'interaction_settled')).toMatchObject(settled);
    const by = { principal: payload.by.principal, name: payload.by.name };
    expect(await asking).toMatchObject({ status: 'done', result: { answer: 'yes', by } });
    const late = { code: 'already_answered', details: { by, at: expect.any(String) } };
    expect(await owner.answer(sessionId, interaction, submit('no'))).toMatchObject({ error: late });
    const byHttp = await post(answerPath(sessionId, interaction), submit('no'), server.token);
    expect([byHttp.status, await byHttp.json()]).toMatchObject([409, { error: late }]);
  },
);

test('[ASK4] the caller may disconnect: the question stays, and its answer can be fetched later', async () => {
  const callId = randomUUID();
  const asker = await server.local.open({ hello: { token } });
  const leaving = new AbortController();
  const byHttp = post('/api/calls?wait=60', { callId, ...question }, token, leaving.signal);
  const { sessionId, interaction } = await opened();
  await asker.ask(call(callId));
  await asker.close();
  leaving.abort();
  await expect(byHttp).rejects.toThrow();
  expect(await owner.answer(sessionId, interaction, submit('later'))).toMatchObject({ ok: true });
  const again = await server.local.open({ hello: { token } });
  await again.ask(call(callId));
  expect(await again.until(({ type }) => type === 'call_result')).toMatchObject({ result: { answer: 'later' } });
});

test.each<[string, object]>([
  ['a channel with a space', { channel: 'a b' }],
  ['a channel of 65 characters', { channel: 'x'.repeat(65) }],
  ['no channel', { channel: '' }],
  ['an empty callId', { callId: '' }],
  ['a callId of 129 characters', { callId: 'x'.repeat(129) }],
])('[ASK1] %s is refused, by a frame and by HTTP', async (_, part) => {
  const asker = await server.local.open({ hello: { token } });
  const refused = { error: { code: 'bad_frame' } };
  expect(await asker.request(call('one', part))).toMatchObject({ ok: false, ...refused });
  const response = await post('/api/calls', { callId: 'one', ...question, ...part });
  expect([response.status, await response.json()]).toMatchObject([400, refused]);
});

test('[ASK1] a channel of 64 characters and a callId of 128 are accepted', async () => {
  const asker = await server.local.open({ hello: { token } });
  const part = { channel: `${'a'.repeat(59)}.9_:-`, callId: '\u00e9'.repeat(128), toolName: 'tell_human' };
  expect(await asker.request(call('one', { ...part, args: { text: 'Hello.' } }))).toMatchObject({ ok: true });
});
