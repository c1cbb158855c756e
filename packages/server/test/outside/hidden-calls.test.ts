import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin } from '../support/journey.ts';
import { rawRequest } from '../support/raw-http.ts';

const call = {
  type: 'call_tool',
  channel: 'pay',
  callId: '1',
  toolName: 'ask_one',
  args: { question: 'How much?' },
} as const;
const notFound = { ok: false, error: { code: 'not_found' } };

test('[TEAM1, SEC4] an operator learns nothing by the id of a hidden call, or of one in a session that it may not see', async () => {
  const server = await startGuardedServer({
    plugins: [await loadPlugin('asking.mjs')],
    policies: [{ tool: 'ask_*', audience: { principals: ['anna'] }, visibility: 'audience' }],
  });
  const asker = await server.enter({ role: 'asker', name: 'ci' });
  const anna = await server.enter({ role: 'responder', name: 'anna' });
  const begun = await asker.ask<{ sessionId: string; toolCallId: string }>(call);
  await anna.follow(begun.sessionId);
  const prompt = await anna.prompt(begun.sessionId);
  const outsiders = [
    await server.makeToken({ role: 'operator', name: 'otto' }),
    await server.makeToken({ role: 'operator', name: 'olga', sessions: ['elsewhere'] }),
  ];
  const look = async () => {
    for (const { token } of outsiders) {
      const path = `${server.origin}/api/calls/${begun.toolCallId}`;
      for (const method of ['GET', 'DELETE'])
        expect((await fetch(path, { method, headers: { authorization: `Bearer ${token}` } })).status).toBe(404);
      const tab = await server.local.open({ hello: { token } });
      expect(await tab.request({ type: 'withdraw_call', ...begun })).toMatchObject(notFound);
    }
  };
  await look();
  await anna.answer(begun.sessionId, prompt, { action: 'submit', input: { answer: 'SECRET-120k' } });
  expect(await asker.until(({ type }) => type === 'call_result')).toMatchObject({ result: { answer: 'SECRET-120k' } });
  await look();
});

test('[ASK1, SEC4] an operator of some sessions cannot create a session that it could not see', async () => {
  const server = await startGuardedServer({ plugins: [await loadPlugin('asking.mjs')] });
  const owner = await server.enter();
  const limited = await server.enter({ role: 'operator', name: 'olga', sessions: ['elsewhere'] });
  expect(await limited.request(call)).toMatchObject({ ok: false, error: { code: 'forbidden' } });
  expect(await owner.ask({ type: 'list_sessions' })).toEqual({ sessions: [] });
});

test('[SEC9] a wait ends with its token', async () => {
  const server = await startGuardedServer({ plugins: [await loadPlugin('asking.mjs')] });
  const { token, id } = await server.makeToken({ role: 'asker', name: 'ci' });
  const { type: _, ...body } = call;
  const post = (wait: number) =>
    fetch(`${server.origin}/api/calls?wait=${wait}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  expect((await post(0)).status).toBe(202);
  const waiting = post(60);
  await post(0); // the earlier request is waiting now
  await server.local.store.tokens.remove(id);
  expect((await waiting).status).toBe(401);
});

test('[SEC11] nothing but the headers of an unauthenticated request is read', async () => {
  const server = await startGuardedServer({ plugins: [await loadPlugin('asking.mjs')] });
  const { host, port } = new URL(server.origin);
  const lines = [`Host: ${host}`, 'Content-Type: application/json', 'Transfer-Encoding: chunked', 'Connection: close'];
  const { status } = await rawRequest(Number(port), ['POST /api/calls HTTP/1.1', ...lines]); // and a body that never arrives
  expect(status).toBe(401);
});

test('[SEC11] a person with too many connections cannot ask: what is refused is not stored', async () => {
  const server = await startGuardedServer({ plugins: [await loadPlugin('asking.mjs')], quotas: { connections: 1 } });
  const owner = await server.enter();
  const { token } = await server.makeToken({ role: 'asker', name: 'ci' });
  await server.local.open({ hello: { token } });
  const { type: _, ...body } = call;
  const response = await fetch(`${server.origin}/api/calls?wait=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(429);
  expect(await owner.ask({ type: 'list_sessions' })).toEqual({ sessions: [] });
});

test('[SEC11] one person’s requests are rate-limited, and others are not delayed', async () => {
  const server = await startGuardedServer({ plugins: [await loadPlugin('asking.mjs')], framesPerSecond: 1 });
  const owner = await server.enter();
  const [mine, other] = [await server.makeToken({ role: 'asker' }), await server.makeToken({ role: 'asker' })];
  const look = async (token: string) => {
    const response = await fetch(`${server.origin}/api/calls/none`, { headers: { authorization: `Bearer ${token}` } });
    return [response.status, response.headers.get('retry-after')] as const;
  };
  const seen = [];
  for (let n = 0; n < 5; n += 1) seen.push(await look(mine.token));
  expect(seen).toEqual([...Array(4).fill([404, null]), [429, '1']]);
  expect(await look(other.token)).toEqual([404, null]);
  expect(await owner.ask({ type: 'list_sessions' })).toEqual({ sessions: [] });
});
