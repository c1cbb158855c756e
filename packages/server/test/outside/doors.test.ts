import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { Readable, Writable } from 'node:stream';
import type { ChatEvent, DoorContext, Plugin, ServerFrameOf } from '@parleyhq/core';
import { ownRoots } from '@parleyhq/runtime';
import { useInTest } from '@parleyhq/server/testing';
import { pino } from 'pino';
import { beforeEach, describe, expect, test } from 'vitest';
import { GuardedServer, startGuardedServer, useGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin } from '../support/journey.ts';
import { LocalServer, startLocalServer } from '../support/local-server.ts';
import { rawRequest } from '../support/raw-http.ts';
import type { Tab } from '../support/tab.ts';

const asking = await loadPlugin('asking.mjs');
const hmacKey = 'a key that both know';
const signOf = (text: string) => createHmac('sha256', hmacKey).update(text).digest();
const ends: unknown[] = []; // what handlers saw of the ends of their requests
let entered = 0; // requests that reached a handler

/** Waits until the request ends early. */
const waitForEnd = ({ signal }: DoorContext): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      ends.push(signal.reason.code);
      resolve();
    });
  });

const doors: Plugin = {
  name: 'doors',
  tools: [],
  doors: [
    {
      method: 'POST',
      path: 'echo',
      access: 'program',
      maxBytes: 1000,
      async handle(request, { caller, json }) {
        entered += 1;
        const { url, method, headers } = request;
        const seen = ['authorization', 'cookie', 'x-mine'].map((name) => headers.get(name));
        const { role, name } = caller;
        return Response.json({ path: new URL(url).pathname, method, seen, role, name, body: json() as null });
      },
    },
    { method: 'GET', path: '/own/page', access: 'none', handle: () => html('<script src="/plugins/x"></script>') },
    { method: 'GET', path: 'person', access: 'person', handle: (_, { caller }) => Response.json(caller.role) },
    {
      method: 'POST',
      path: 'signed',
      access: 'none',
      async handle(request, { refuse }) {
        const text = await request.text();
        const signature = Buffer.from(request.headers.get('x-signature') ?? '', 'hex');
        const wanted = signOf(text);
        if (signature.length !== wanted.length || !timingSafeEqual(signature, wanted))
          throw refuse('unauthorised', 'The signature is wrong.');
        return new Response(null, { status: 204 });
      },
    },
    {
      method: 'POST',
      path: 'ask',
      access: 'program',
      timeoutMs: null,
      async handle(_, { call, json, signal }) {
        signal.addEventListener('abort', () => ends.push(signal.reason.code));
        const outcome = await call(json() as never);
        return Response.json({ outcome: outcome ?? null });
      },
    },
    {
      method: 'POST',
      path: 'slow',
      access: 'program',
      timeoutMs: 50,
      async handle(_, context) {
        await waitForEnd(context);
        return new Response('late');
      },
    },
    { method: 'POST', path: 'throws', access: 'program', handle: () => fail('a detail that stays here') },
    { method: 'POST', path: 'nothing', access: 'program', handle: () => 'text' as never },
    { method: 'POST', path: 'torn', access: 'program', handle: () => new Response(torn()) },
  ],
};

function fail(words: string): never {
  throw Object.assign(new Error(words), { code: 'not_found' });
}

function torn(): ReadableStream {
  return new ReadableStream({ pull: (controller) => controller.error(new Error('torn')) });
}

function html(text: string): Response {
  const headers = { 'content-type': 'text/html', 'set-cookie': 'parley=mine', 'content-security-policy': '*' };
  return new Response(text, { headers });
}

interface Sent {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  readonly method?: string;
  readonly signal?: AbortSignal;
}

async function send(origin: string, path: string, { token, body = {}, headers, method = 'POST', signal }: Sent = {}) {
  const isPlain = typeof body === 'string' || body instanceof ReadableStream;
  const response = await fetch(`${origin}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(method !== 'GET' && { body: isPlain ? body : JSON.stringify(body), duplex: 'half' }),
    ...(signal && { signal }),
  } as RequestInit);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
}

const server = useGuardedServer({ plugins: [asking, doors] });
let token: string;
let tokenId: string;
let name: string;
let owner: Tab;
beforeEach(async () => {
  ends.length = 0;
  name = `a program ${randomUUID()}`;
  ({ token, id: tokenId } = await server.makeToken({ role: 'asker', name }));
  owner = await server.enter();
});
const at = (path: string, sent: Sent = {}) => send(server.origin, `/plugins/doors/${path}`, { token, ...sent });

describe('who is let in', () => {
  test('[PLG14, SEC2] the handler gets the request and its caller, but neither the token nor cookies', async () => {
    const headers = { 'x-mine': 'yes', cookie: 'a=b' };
    const { status, body } = await at('echo?q=1', { body: { n: 1 }, headers });
    expect([status, body]).toEqual([
      200,
      {
        ...{ path: '/plugins/doors/echo', method: 'POST', seen: [null, null, 'yes'] },
        ...{ role: 'asker', name, body: { n: 1 } },
      },
    ]);
  });

  test.each([
    ['no token', undefined, 401, 'unauthorised'],
    ['a wrong token', 'parley_wrong', 401, 'unauthorised'],
  ])('[SEC2] %s reaches no handler', async (_, wrong, status, code) => {
    const before = entered;
    const refused = await at('echo', { token: wrong });
    expect(refused).toMatchObject({ status, body: { error: { code } } });
    expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="Parley"');
    expect(entered).toBe(before);
  });

  test('[SEC3] a page of another origin, or a rebound name, reaches no door, whatever its access', async () => {
    for (const [method, path] of [
      ['POST', '/plugins/doors/echo'],
      ['GET', '/own/page'],
    ] as const)
      for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }] as const)
        expect(await send(server.origin, path, { token, method, headers: { ...headers } })).toMatchObject({
          status: 403,
          body: { error: { code: 'forbidden' } },
        });
  });

  test('[ASK2] an asker is no person, and on a server without tokens a program is only an asker', async () => {
    const person = (as: string) => at('person', { method: 'GET', token: as });
    expect(await person(token)).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
    expect(await person(server.token)).toMatchObject({ status: 200, body: 'operator' });
    const open = await startLocalServer({ plugins: [doors] });
    expect((await send(open.httpUrl, '/plugins/doors/echo')).body).toMatchObject({ role: 'asker' });
    expect((await send(open.httpUrl, '/plugins/doors/person', { method: 'GET' })).body).toBe('operator');
  });

  test('[SEC3] without access a handler verifies the sender by the bytes of the body', async () => {
    const body = '{"b":  1.0}';
    const signed = (text: string) =>
      at('signed', { token: undefined, body, headers: { 'x-signature': signOf(text).toString('hex') } });
    expect(await signed(body)).toMatchObject({ status: 204 });
    expect(await signed('{"b":1}')).toMatchObject({
      status: 401,
      body: { error: { code: 'unauthorised', message: 'The signature is wrong.' } },
    });
  });

  test('[TRN2] only its own method and path are the door', async () => {
    for (const [method, path] of [
      ['GET', '/plugins/doors/echo'],
      ['POST', '/plugins/doors/echo/more'],
      ['POST', '/plugins/doors'],
      ['POST', '/plugins/other/echo'],
    ] as const)
      expect(await send(server.origin, path, { method, token })).toMatchObject({ status: 404 });
  });
});

test('[PLG14] a GET with a body is answered without it', async () => {
  const { port } = server.local;
  const lines = ['GET /own/page HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Connection: close', 'Content-Length: 2'];
  expect((await rawRequest(port, lines, '{}')).status).toBe(200);
});

describe('limits', () => {
  test.each([
    ['declared', 'x'.repeat(2000)],
    ['streamed', Readable.toWeb(Readable.from([Buffer.from('x'.repeat(900)), Buffer.from('x'.repeat(900))]))],
  ])('[SEC6] a larger body, %s, is refused before the handler', async (_, body) => {
    const before = entered;
    const refused = await at('echo', { body });
    expect([refused.status, refused.body]).toEqual([
      413,
      { error: { code: 'bad_frame', message: 'A request to this route has at most 1000 bytes.' } },
    ]);
    expect(entered).toBe(before);
  });

  test.each([
    ['not JSON', { body: '{' }],
    ['too deep', { body: `${'['.repeat(40)}${']'.repeat(40)}` }],
    ['not exact', { body: '{"id": 12345678901234567890}' }],
    ['of another type', { body: '{}', headers: { 'content-type': 'text/plain' } }],
  ])('[SEC6] json() refuses what is %s', async (_, sent) => {
    expect(await at('echo', sent)).toMatchObject({ status: 400, body: { error: { code: 'bad_frame' } } });
  });

  test('[SEC11] requests count against the pace of their person; without a credential, of their address', async () => {
    const at = Date.now(); // the clock of unknown callers stands still; others have 20 requests at once
    const paced = await startGuardedServer({ plugins: [doors], framesPerSecond: 5, now: () => at });
    const own = (await paced.makeToken({ role: 'asker' })).token;
    const post = (path: string, as?: string) =>
      send(paced.origin, path, { token: as, headers: { 'content-type': 'a/b' } });
    const count = async (times: number, path: string, as?: string) => {
      const all = await Promise.all(Array.from({ length: times }, () => post(path, as)));
      return all.filter(({ status }) => status === 429);
    };
    const [first] = await count(30, '/plugins/doors/throws', own);
    expect(first?.body.error).toMatchObject({ code: 'rate_limited', details: { retryAfterMs: expect.any(Number) } });
    expect(first?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(await count(250, '/plugins/doors/signed')).toHaveLength(50);
    expect((await post('/plugins/doors/throws', (await paced.makeToken({ role: 'asker' })).token)).status).toBe(500);
  });

  test('[SEC11] a request that waits is a connection of its person', async () => {
    const few = await startGuardedServer({ plugins: [asking, doors], quotas: { connections: 1 } });
    const own = (await few.makeToken({ role: 'asker' })).token;
    const tab = await few.enter();
    const waiting = send(few.origin, '/plugins/doors/ask', { token: own, body: question });
    const prompt = await nextPrompt(tab);
    const ask = () => send(few.origin, '/plugins/doors/ask', { token: own, body: question });
    expect(await ask()).toMatchObject({ status: 429, body: { error: { code: 'rate_limited' } } });
    expect(await send(few.origin, '/plugins/doors/echo', { token: own })).toMatchObject({ status: 200 });
    await tab.answer(prompt.sessionId, prompt.interaction, { action: 'submit', input: { answer: 'Yes' } });
    expect((await waiting).status).toBe(200);
  });
});

const question = { channel: 'c', toolName: 'ask_one', args: { question: 'Well?' }, from: { name: 'A chat' } };

async function nextPrompt(tab: Tab): Promise<ServerFrameOf<'interaction_opened'>> {
  return (await tab.until(({ type }) => type === 'interaction_opened')) as ServerFrameOf<'interaction_opened'>;
}

async function closure(tab: Tab, sessionId: string): Promise<ChatEvent<'interaction_closed'>['payload']> {
  await tab.follow(sessionId);
  return (await tab.event(sessionId, 'interaction_closed')).payload;
}

describe('a call on behalf of the caller', () => {
  test('[PLG14, ASK1, ASK4] it asks people in a session of the caller, and returns the outcome with the answers', async () => {
    const waiting = at('ask', { body: question });
    const { sessionId, interaction } = await nextPrompt(owner);
    await owner.follow(sessionId);
    expect((await owner.event(sessionId, 'tool_call')).payload).toMatchObject({
      ...{ isLive: true, toolName: 'ask_one', from: { name: 'A chat' } },
      by: { role: 'asker', name, transport: 'http' },
    });
    await owner.answer(sessionId, interaction, { action: 'submit', input: { answer: 'Yes' } });
    const { status, body } = await waiting;
    expect([status, body.outcome]).toMatchObject([200, { result: { answer: 'Yes' }, answers: [{ action: 'submit' }] }]);
  });

  test('[ASK2] it has no more power than the caller', async () => {
    const refused = await at('ask', { body: { ...question, toolName: 'do_more' } });
    expect(refused).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
  });

  test.each([
    ['there is no "tolName". Did you mean "toolName"?', { tolName: 'ask_one' }],
    ['call: channel: ', { channel: 'a b' }],
    ['call: from.name: ', { from: { name: '' } }],
    ['call: title: ', { title: 'x'.repeat(201) }],
  ])('[PLG8] a mistake in it is for the author, and not for the caller: %s', async (words, part) => {
    const { lines, log } = collectLog();
    const told = await startGuardedServer({ plugins: [asking, doors], log, logsMessages: true });
    const failed = await send(told.origin, '/plugins/doors/ask', { token: told.token, body: { ...question, ...part } });
    expect(failed).toMatchObject({ status: 500, body: { error: { code: 'internal' } } });
    expect(lines.join('')).toContain(JSON.stringify(words).slice(1, -1));
  });

  test('[PLG14, ASK4] it is withdrawn when the caller disconnects, which the handler is told', async () => {
    const gone = new AbortController();
    const waiting = at('ask', { body: question, signal: gone.signal }).catch(() => 'gone');
    const { sessionId } = await nextPrompt(owner);
    gone.abort();
    expect(await waiting).toBe('gone');
    expect(await closure(owner, sessionId)).toMatchObject({ reason: 'withdrawn', note: 'No longer waiting' });
    await expect.poll(() => ends).toEqual(['disconnected']);
  });

  test('[SEC9] it is withdrawn when the token ends, and the request is refused', async () => {
    const waiting = at('ask', { body: question });
    const { sessionId } = await nextPrompt(owner);
    await server.local.store.tokens.remove(tokenId);
    expect(await waiting).toMatchObject({ status: 401, body: { error: { code: 'unauthorised' } } });
    expect(await closure(owner, sessionId)).toMatchObject({ reason: 'withdrawn' });
    expect(ends).toEqual(['unauthorised']);
  });

  test('[OPS3] at a stop the handler may still respond, and its call is withdrawn', async () => {
    const stopped = await useInTest(new GuardedServer({ plugins: [asking, doors] }));
    const tab = await stopped.enter();
    const waiting = send(stopped.origin, '/plugins/doors/ask', { token: stopped.token, body: question });
    const { sessionId } = await nextPrompt(tab);
    await stopped.local.restart();
    expect(await waiting).toMatchObject({ status: 200, body: { outcome: null } });
    expect(ends).toEqual(['stopped']);
    expect(await closure(await stopped.enter(), sessionId)).toMatchObject({ reason: 'withdrawn' });
  });
});

function collectLog() {
  const lines: string[] = [];
  const write = (chunk: unknown, _: unknown, done: () => void) => {
    lines.push(String(chunk));
    done();
  };
  return { lines, log: pino(new Writable({ write })) };
}

describe('a faulty handler', () => {
  test.each(['throws', 'nothing', 'torn'])(
    '[PLG14, SEC8] %s: the caller reads no detail, and the log names the plugin and the door',
    async (path) => {
      const { lines, log } = collectLog();
      const logged = await startGuardedServer({ plugins: [doors], log });
      const failed = await send(logged.origin, `/plugins/doors/${path}`, { token: logged.token });
      expect([failed.status, failed.body.error.code]).toEqual([500, 'internal']);
      expect(JSON.stringify(failed.body)).not.toContain('detail');
      const about = lines.map((line) => JSON.parse(line)).filter(({ door }) => door !== undefined);
      expect(about).toMatchObject([{ level: 50, plugin: 'doors', door: `/plugins/doors/${path}` }]);
      expect(lines.join('')).not.toContain('a detail that stays here');
    },
  );

  test('[PLG14] one that takes too long is cut off, whatever it does later', async () => {
    const { lines, log } = collectLog();
    const logged = await startGuardedServer({ plugins: [doors], log });
    const failed = await send(logged.origin, '/plugins/doors/slow', { token: logged.token });
    expect([failed.status, failed.body.error.code]).toEqual([500, 'internal']);
    expect(ends).toEqual(['timeout']);
    expect(lines.join('')).toContain('a door of a plugin took too long');
  });
});

test('[PLG14, SEC3] what a door shows runs no script on the page’s origin, and sets no cookie', async () => {
  const { status, headers, body } = await send(server.origin, '/own/page', { method: 'GET' });
  expect([status, body]).toEqual([200, '<script src="/plugins/x"></script>']);
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; sandbox;/);
  expect(headers.get('x-content-type-options')).toBe('nosniff');
  expect(headers.getSetCookie()).toEqual([]);
});

test('[PLG14, PLG2] two plugins with one door do not start, and the error names both', async () => {
  const other = { ...doors, name: 'other' };
  await expect(async () => new LocalServer({ plugins: [doors, other] }).start()).rejects.toThrow(
    'Plugin "other" and plugin "doors" both have a door GET /own/page.',
  );
});

test('[PLG14, PLG2] no plugin can take a path of the server or of the page', () => {
  const firsts = server.local.server.routes
    .map(({ path }) => path.split('/'))
    .filter(([, first = '']) => first !== '' && first !== '*')
    .map(([, first]) => first);
  const folders = readdirSync(new URL('../../../web/dist/', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
  for (const first of [...firsts, ...folders].filter((first) => first !== 'own')) expect(ownRoots).toContain(first);
});
