import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { definePlugin, type ServerFrameOf } from '@parleyhq/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { EventStream } from '../support/event-stream.ts';
import { type GuardedServer, startGuardedServer, useGuardedServer } from '../support/guarded-server.ts';
import { hold } from '../support/hold.ts';

const server = useGuardedServer({ durations: { heartbeatMs: 200 } });

async function listen(query = '', token = server.token, more: Record<string, string> = {}, at: GuardedServer = server) {
  const headers = { Authorization: `Bearer ${token}`, ...more };
  const stream = await EventStream.open(`${at.origin}/api/stream${query}`, headers);
  onTestFinished(() => stream.close());
  return stream;
}

async function refused(path: string, init: RequestInit = {}) {
  const response = await fetch(server.origin + path, init);
  return { status: response.status, ...((await response.json()) as object) };
}

async function post(frames: unknown, more: Record<string, string>, token = server.token) {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, ...more };
  const body = typeof frames === 'string' ? frames : JSON.stringify(frames);
  const response = await fetch(`${server.origin}/api/frames`, { method: 'POST', headers, body });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

const bearer = (token = server.token) => ({ headers: { Authorization: `Bearer ${token}` } });

test('[TRN1] a stream begins with the welcome, follows what its query names, and each event has its position as id', async () => {
  const tab = await server.enter();
  const [session, other] = [await tab.createSession(), await tab.createSession()];
  await tab.follow(session);
  await tab.say(session, 'hello');
  await tab.event(session, 'turn_end');
  const interaction = encodeURIComponent('{"supported":true,"enabled":true}');
  const stream = await listen(`?subscribe=${session}&subscribe=${other}&label=Curl&interaction=${interaction}`);
  const { epoch } = (await stream.frame('welcome')) as ServerFrameOf<'welcome'>;
  expect(stream.frames[0]).toMatchObject({ type: 'welcome', principal: { id: 'owner' } });
  await stream.until(() => stream.frames.filter(({ type }) => type === 'live').length === 2);
  const total = tab.events(session).length;
  const caughtUp = stream.sent.filter(({ data }) => data?.startsWith('{"type":"chat_events"'));
  expect(caughtUp.at(-1)?.id).toBe(`${session}:${total}:${epoch}`);
  expect(stream.sent.filter(({ data }) => data?.startsWith('{"type":"live"')).map(({ id }) => id)).toContain(
    `${other}:0:${epoch}`,
  );
  await tab.say(other, 'more');
  await stream.until(() => stream.sent.some(({ id }) => id === `${other}:1:${epoch}`));
  await tab.until((frame) => frame.type === 'presence' && frame.enabled === 2);
});

test('[TRN1, RPL1] an interrupted stream continues after its last id, without a gap or a repeat', async () => {
  const tab = await server.enter();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, 'first');
  await tab.event(session, 'turn_end');
  const stream = await listen(`?subscribe=${session}`);
  await stream.frame('live');
  const id = stream.sent.findLast((event) => event.id !== undefined)?.id as string;
  stream.close();
  const seen = tab.events(session).length;
  await tab.say(session, 'second');
  await tab.event(session, 'turn_end', undefined, seen);
  for (const [query, more] of [
    [`?subscribe=${session}`, { 'Last-Event-ID': id }],
    [`?subscribe=${id}`, {}],
  ] as const) {
    const next = await listen(query, server.token, more);
    await next.frame('live');
    const seqs = next.frames.flatMap((frame) =>
      frame.type === 'chat_events' ? frame.events.map(({ seq }) => seq) : [],
    );
    expect(seqs).toEqual(
      tab
        .events(session)
        .map(({ seq }) => seq)
        .slice(seen),
    );
  }
  const tail = await listen(`?subscribe=${session}&tail=1`);
  await tail.frame('live');
  expect(tail.frames.flatMap((frame) => (frame.type === 'chat_events' ? frame.events : []))).toHaveLength(1);
});

test('[TRN1] replies come with the request that asked for them, everything else in the stream', async () => {
  const stream = await listen();
  const connection = await stream.connection();
  const created = await post({ type: 'create_session', requestId: 'r1', title: 'By HTTP' }, connection);
  expect(created).toMatchObject({ status: 200, body: { type: 'reply', requestId: 'r1', ok: true } });
  const sessionId = created.body.result.session.id;
  const said = await post(
    [
      { type: 'subscribe', requestId: 'r2', sessionId },
      { type: 'user_message', requestId: 'r3', sessionId, messageId: 'm', text: 'hello' },
      { type: 'cancel_turn', requestId: 'r4', sessionId: 'nobody' },
      { type: 'ping' },
    ],
    connection,
  );
  expect(said.body).toHaveLength(3);
  expect(said.body).toEqual(
    expect.arrayContaining([
      { type: 'reply', requestId: 'r2', ok: true },
      { type: 'reply', requestId: 'r3', ok: true, result: { seq: 1 } },
      expect.objectContaining({ requestId: 'r4', ok: false }),
    ]),
  );
  await stream.frame('pong');
  expect(await post({ type: 'user_message', sessionId, messageId: 'n', text: 'more' }, connection)).toEqual({
    status: 204,
  });
  expect(await post({ type: 'list_sessions', limit: 0 }, connection)).toMatchObject({
    body: { type: 'error', code: 'bad_frame' },
  });
  expect(await post({ type: 'hello', protocol: 1 }, connection)).toMatchObject({ body: { code: 'already_greeted' } });
  // alone, or with earlier events
  await stream.until(() => stream.frames.some(({ type }) => type === 'chat_event' || type === 'chat_events'));
  expect(stream.frames.filter(({ type }) => type === 'reply' || type === 'error')).toEqual([]);
});

test('[TRN1, SEC9] a request acts with its own credential: it does not find the connection of another one', async () => {
  const { token } = await server.makeToken({ role: 'operator', name: 'other' });
  const stream = await listen();
  const connection = await stream.connection();
  const ping = { type: 'ping' };
  expect(await post(ping, connection, token)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
  expect(await post(ping, connection, 'wrong')).toMatchObject({ status: 401 });
  expect(await post(ping, {})).toMatchObject({ status: 404 });
  expect(await post(ping, { 'Parley-Connection': 'nobody' })).toMatchObject({ status: 404 });
  const cookie = await logIn();
  const asPage = { Authorization: '', Cookie: cookie, Origin: server.origin };
  expect(await post(ping, { ...connection, ...asPage })).toMatchObject({ status: 404 });
  const page = await listen('', '', { Cookie: cookie, Origin: server.origin });
  expect(await post(ping, { ...(await page.connection()), ...asPage })).toEqual({ status: 204 });
  expect(await post(ping, connection)).toEqual({ status: 204 });
});

async function logIn(): Promise<string> {
  const response = await fetch(`${server.origin}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: server.origin },
    body: JSON.stringify({ token: server.token }),
  });
  return String(response.headers.get('set-cookie')).split(';')[0] as string;
}

test('[TRN1, FRM3] what would close a connection before its welcome determines the status of the response', async () => {
  expect(await refused('/api/stream')).toMatchObject({ status: 401, error: { code: 'unauthorised' } });
  expect(await refused('/api/stream', bearer('wrong'))).toMatchObject({ status: 401 });
  const version = { code: 'unsupported_protocol', details: { spoken: [1] } };
  expect(await refused('/api/stream?protocol=99', bearer())).toMatchObject({ status: 426, error: version });
  for (const query of ['protocol=x', 'interaction={', 'interaction=1', 'subscribe=a/b', 'subscribe=a:b:c', 'tail=-1'])
    expect(await refused(`/api/stream?${query}`, bearer())).toMatchObject({
      status: 400,
      error: { code: 'bad_frame' },
    });
  const foreign = { headers: { ...bearer().headers, Origin: 'https://hostile.example' } };
  expect(await refused('/api/stream', foreign)).toMatchObject({ status: 403 });
});

test('[TRN1, SEC6] a request has the size limit of a frame, and must be of type JSON', async () => {
  const connection = await (await listen()).connection();
  const large = [{ type: 'create_session', title: 'x'.repeat(300_000) }];
  expect(await post(large, connection)).toMatchObject({ status: 413 });
  expect(await post({ type: 'ping' }, { ...connection, 'Content-Type': 'text/plain' })).toMatchObject({ status: 400 });
  const deep = JSON.stringify([{ type: 'ping', x: 0 }]).replace('0', '['.repeat(40) + ']'.repeat(40));
  expect(await post(deep, connection)).toMatchObject({ status: 200, body: { code: 'bad_frame' } });
  expect(await post('[{]', connection)).toMatchObject({ status: 200, body: { code: 'bad_frame' } });
});

test('[TRN1, FRM1] more than twenty bad frames in ten seconds end the stream, with their code', async () => {
  const stream = await listen();
  const connection = await stream.connection();
  await post(
    Array.from({ length: 21 }, () => ({ type: 'nonsense' })),
    connection,
  );
  expect(await stream.closed()).toEqual({ code: 4429, reason: 'too many bad frames' });
  expect(await post({ type: 'ping' }, connection)).toMatchObject({ status: 404 });
});

test('[SEC9] a stream ends within a second of its token', async () => {
  const { id, token } = await server.makeToken({ role: 'responder' });
  const stream = await listen('', token);
  const connection = await stream.connection();
  const since = performance.now();
  await server.local.store.tokens.remove(id);
  expect(await stream.closed()).toMatchObject({ code: 4401 });
  expect(performance.now() - since).toBeLessThan(1000);
  expect(await post({ type: 'ping' }, connection, token)).toMatchObject({ status: 401 });
});

test('[SEC11] a stream counts as one connection of its person, its requests do not', async () => {
  const limited = await startGuardedServer({ quotas: { connections: 2 } });
  const { token } = await limited.makeToken({ role: 'responder' });
  const [first] = [await listen('', token, {}, limited), await listen('', token, {}, limited)];
  const third = await fetch(`${limited.origin}/api/stream`, bearer(token));
  expect([third.status, await third.json()]).toMatchObject([429, { error: { code: 'rate_limited' } }]);
  const { Authorization } = bearer(token).headers;
  const headers = { Authorization, ...(await first.connection()), 'Content-Type': 'application/json' };
  const sent = await fetch(`${limited.origin}/api/frames`, { method: 'POST', headers, body: '{"type":"ping"}' });
  expect(sent.status).toBe(204);
  first.close();
  await expect
    .poll(
      async () =>
        (
          await fetch(`${limited.origin}/api/stream`, {
            ...bearer(token),
            method: 'GET',
            signal: AbortSignal.timeout(500),
          })
        ).status,
    )
    .toBe(200);
});

test('[FRM4] an idle stream is kept alive', async () => {
  const stream = await listen();
  await stream.frame('welcome');
  await stream.until(() => stream.sent.filter(({ data }) => data === undefined).length >= 2);
});

test('[FRM5] a client that does not read its stream loses it, and nobody else waits', async () => {
  const tab = await server.enter();
  const session = await tab.createSession();
  await tab.follow(session);
  const reader = httpRequest(`${server.origin}/api/stream?subscribe=${session}`, bearer());
  reader.on('response', (response) => response.pause()).on('error', () => undefined);
  reader.end();
  onTestFinished(() => void reader.destroy());
  await tab.until((frame) => frame.type === 'presence' && frame.connections === 2);
  const before = tab.frames.length;
  const text = 'y'.repeat(200_000);
  for (let n = 0; n < 60; n += 1) await tab.say(session, text, `m${n}`);
  await tab.until((frame) => frame.type === 'presence' && frame.connections === 1, before);
  expect(tab.closeCode).toBeUndefined();
});

test('[OPS3, TRN1] a stop ends streams with the code to reconnect, does not wait for them, and accepts no more', async () => {
  const { until, release } = hold();
  const slow = { name: 'slow', description: 'Waits.', parameters: { type: 'object' }, handler: () => until };
  const plugin = definePlugin({ name: 'slow', tools: [slow] });
  const stopping = await startGuardedServer({ durations: { stopMs: 60_000 }, plugins: [plugin] });
  const stream = await listen('', stopping.token, {}, stopping);
  const tab = await stopping.enter();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call slow {}');
  await tab.event(session, 'tool_call');
  const late = connect(stopping.local.port, '127.0.0.1');
  const lines = [`Host: 127.0.0.1:${stopping.local.port}`, `Authorization: Bearer ${stopping.token}`];
  late.write(`GET /healthz HTTP/1.1\r\n${lines[0]}\r\n\r\nGET /api/stream HTTP/1.1\r\n${lines[0]}\r\n`);
  await once(late, 'data'); // so that half of the next request has arrived, too
  const closing = stopping.local.server.close();
  expect(await stream.closed()).toEqual({ code: 1012, reason: 'the server stops' });
  late.write(`${lines[1]}\r\n\r\n`);
  expect(String((await once(late, 'data'))[0])).toMatch(/^HTTP\/1.1 503 .*retry_later/s);
  late.destroy();
  release();
  await closing;
});

test('[SEC11, INT14] a client that disconnects before its stream begins does not count as a connection', async () => {
  const limited = await startGuardedServer({ quotas: { connections: 1 } });
  const { token } = await limited.makeToken({ role: 'responder' });
  const { tokens } = limited.local.store;
  const [asked, answered] = [hold(), hold()];
  const find = tokens.find.bind(tokens);
  vi.spyOn(tokens, 'find').mockImplementationOnce(async (...wanted) => {
    asked.release();
    await answered.until;
    return find(...wanted);
  });
  const socket = connect(limited.local.port, '127.0.0.1');
  socket.write(
    `GET /api/stream HTTP/1.1\r\nHost: ${new URL(limited.origin).host}\r\nAuthorization: Bearer ${token}\r\n\r\n`,
  );
  await asked.until;
  socket.destroy();
  await once(socket, 'close');
  const pass = async () => (await fetch(`${limited.origin}/healthz`)).arrayBuffer();
  await pass(); // the server has noticed the end of the socket
  answered.release();
  await pass();
  expect((await limited.local.open({ hello: { token } })).frames[0]).toMatchObject({ type: 'welcome' });
});

test('[SEC11] a request for more than may be gathered gets what fits, and may request the rest again', async () => {
  const tab = await server.enter();
  const session = await tab.createSession();
  await tab.follow(session);
  for (let n = 0; n < 4; n += 1) await tab.say(session, 'y'.repeat(120_000), `m${n}`);
  const stream = await listen();
  const { connectionId } = (await stream.frame('welcome')) as ServerFrameOf<'welcome'>;
  const asked = Array.from({ length: 40 }, (_, n) => ({
    ...{ type: 'read_events', requestId: `page ${n}`, sessionId: session, before: 99, limit: 99 },
  }));
  const { body } = await post(asked, { 'Parley-Connection': connectionId });
  expect(body).toHaveLength(40);
  expect(JSON.stringify(body).length).toBeLessThan(2 * 1024 * 1024);
  expect(body[0]).toMatchObject({ requestId: 'page 0', ok: true });
  expect(body.at(-1)).toMatchObject({ requestId: 'page 39', ok: false, error: { code: 'rate_limited' } });
  expect(await post(asked.slice(-1), { 'Parley-Connection': connectionId })).toMatchObject({ body: [{ ok: true }] });
});
