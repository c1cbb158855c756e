import type { ChatEvent, Json } from '@parleyhq/core';
import { useInTest } from '@parleyhq/server/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin } from '../support/journey.ts';
import { LocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

let server: GuardedServer;
let owner: Tab;
let token: string;
beforeEach(async () => {
  server = await startGuardedServer({ plugins: [await loadPlugin('asking.mjs')] });
  owner = await server.enter();
  token = (await server.makeToken({ role: 'asker', name: 'ci' })).token;
});

interface Told {
  readonly http: number;
  readonly status?: 'open' | 'done';
  readonly toolCallId: string;
  readonly sessionId: string;
  readonly url?: string;
  readonly result?: Json;
  readonly error?: { readonly code: string; readonly message: string };
}

async function request(method: string, path: string, options: { as?: string; body?: unknown } = {}): Promise<Told> {
  const { as = token, body } = options;
  const response = await fetch(server.origin + path, {
    method,
    headers: { authorization: `Bearer ${as}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { http: response.status, ...((await response.json()) as object) } as Told;
}

const question = { channel: 'nightly', callId: 'ship-1', toolName: 'ask_one', args: { question: 'Ship it?' } };
const ask = (part: object = {}, query = '') =>
  request('POST', `/api/calls${query}`, { body: { ...question, ...part } });

async function answer({ sessionId, toolCallId }: Told): Promise<void> {
  await owner.follow(sessionId);
  const isOf = ({ payload }: ChatEvent<'interaction_request'>) => payload.toolCallId === toolCallId;
  const { payload } = await owner.event(sessionId, 'interaction_request', isOf);
  await owner.answer(sessionId, payload, { action: 'submit', input: { answer: 'yes' } });
}

const done = { http: 200, status: 'done', result: { answer: 'yes' } };

describe('/api/calls', () => {
  test('[ASK8] a question by curl: open until somebody answers, then done, as often as it is fetched', async () => {
    const begun = await ask();
    expect(begun).toMatchObject({ http: 202, status: 'open', url: `${server.origin}/s/${begun.sessionId}` });
    const path = `/api/calls/${begun.toolCallId}`;
    expect(await request('GET', path)).toMatchObject({ http: 202, status: 'open' });
    const waiting = request('GET', `${path}?wait=60`);
    await answer(begun);
    expect(await waiting).toMatchObject(done);
    expect(await request('GET', path)).toMatchObject(done);
    expect(await ask({}, '?wait=60')).toEqual({ ...done, toolCallId: begun.toolCallId, sessionId: begun.sessionId });
  });

  test('[ASK8] a wait ends with its time', async () => {
    expect(await ask({}, '?wait=0.05')).toMatchObject({ http: 202, status: 'open' });
  });

  test('[ASK8] a call without a key gets one of its own', async () => {
    const [first, second] = await Promise.all([ask({ callId: undefined }), ask({ callId: undefined })]);
    expect(first.toolCallId).not.toBe(second.toolCallId);
  });

  test('[TRN2] waits end when the server stops, and the call stays open', async () => {
    const begun = await ask();
    await owner.follow(begun.sessionId);
    const waiting = request('GET', `/api/calls/${begun.toolCallId}?wait=60`);
    await ask({ callId: 'later' }); // whoever asked before has arrived
    await server.local.server.close();
    expect(await waiting).toMatchObject({ http: 202, status: 'open' });
  });

  test('[ASK4] DELETE withdraws, with a note', async () => {
    const begun = await ask();
    const path = `/api/calls/${begun.toolCallId}`;
    expect(await request('DELETE', `${path}?note=No%20more`)).toMatchObject({ http: 200, withdrawn: true });
    expect(await request('GET', path)).toMatchObject({
      http: 200,
      status: 'done',
      error: { code: 'withdrawn', message: 'No more' },
    });
    expect(await request('DELETE', path)).toMatchObject({ http: 200, withdrawn: true }); // its reply was lost, perhaps
  });

  test('[ASK2] another asker’s call looks like one that does not exist, to responders too', async () => {
    const { toolCallId } = await ask();
    for (const role of ['asker', 'viewer', 'responder'] as const) {
      const other = await server.makeToken({ role });
      for (const method of ['GET', 'DELETE'])
        expect(await request(method, `/api/calls/${toolCallId}`, { as: other.token })).toMatchObject({ http: 404 });
    }
    expect(await request('GET', `/api/calls/${toolCallId}`, { as: server.token })).toMatchObject({ http: 202 });
  });

  test('[ASK2] viewers and responders cannot ask: that requires an asker or an operator', async () => {
    for (const role of ['viewer', 'responder'] as const) {
      const { token: as } = await server.makeToken({ role });
      const told = await request('POST', '/api/calls', { as, body: question });
      expect(told).toMatchObject({ http: 403, error: { code: 'forbidden' } });
    }
    expect(await request('POST', '/api/calls', { as: server.token, body: question })).toMatchObject({ http: 202 });
  });

  test('[ASK2] an asker can use no other route', async () => {
    for (const path of ['/metrics', '/api/interactions'])
      expect(await request('GET', path)).toMatchObject({ http: 403, error: { code: 'forbidden' } });
    expect(await request('POST', '/api/login', { body: { token } })).toMatchObject({ http: 403 });
    expect(await ask({ toolName: 'do_more' })).toMatchObject({ http: 403, error: { code: 'forbidden' } });
  });

  test.each([
    ['no JSON', '{', 'not JSON'],
    ['a list', [], 'not an object'],
    ['a channel with a space', { ...question, channel: 'a b' }, 'channel'],
    ['no tool', { ...question, toolName: undefined }, 'toolName'],
    ['no channel', { ...question, channel: undefined }, 'channel'],
    ['a long callId', { ...question, callId: 'x'.repeat(129) }, 'callId'],
  ])('[ASK8] %s is refused with an explanation', async (_, body, words) => {
    const told = await request('POST', '/api/calls', { body });
    expect(told.http).toBe(400);
    expect(told.error?.message).toContain(words);
  });

  test('[ASK8] an invalid wait is refused before anything begins', async () => {
    for (const wait of ['61', '-1', 'long'])
      expect(await ask({}, `?wait=${wait}`)).toMatchObject({ http: 400, error: { code: 'bad_frame' } });
    const { sessions } = await owner.ask<{ sessions: unknown[] }>({ type: 'list_sessions' });
    expect(sessions).toEqual([]);
  });

  test('[ASK8] a request without a token is refused, and reusing a key for another call is a conflict', async () => {
    expect(await request('POST', '/api/calls', { as: 'wrong', body: question })).toMatchObject({ http: 401 });
    await ask();
    expect(await ask({ args: { question: 'Delete it?' } })).toMatchObject({
      http: 409,
      error: { code: 'idempotency_conflict' },
    });
  });
});

test('[ASK2] without tokens programs ask as "local", and do not become the owner', async () => {
  const open = await useInTest(new LocalServer({ plugins: [await loadPlugin('asking.mjs')] }));
  const tab = await open.open();
  const call = async (part: object) => {
    const body = JSON.stringify({ ...question, ...part });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${open.httpUrl}/api/calls`, { method: 'POST', headers, body });
    return { http: response.status, ...((await response.json()) as object) } as Told;
  };
  expect(await call({ toolName: 'do_more' })).toMatchObject({ http: 403 });
  const { sessionId, toolCallId } = await call({});
  await tab.follow(sessionId);
  expect(tab.events(sessionId).find(({ type }) => type === 'tool_call')?.payload).toMatchObject({
    toolCallId,
    by: { principal: 'local', role: 'asker' },
  });
});

test('[ASK8] the inbox over HTTP contains what its reader may answer', async () => {
  const { toolCallId } = await ask();
  await expect
    .poll(() => request('GET', '/api/interactions', { as: server.token })) // the call is stored before it asks
    .toMatchObject({ http: 200, openTotal: 1, open: [{ interaction: { toolCallId } }] });
  const viewer = await server.makeToken({ role: 'viewer' });
  expect(await request('GET', '/api/interactions', { as: viewer.token })).toMatchObject({ openTotal: 0, open: [] });
});
