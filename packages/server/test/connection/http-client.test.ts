import { setImmediate } from 'node:timers/promises';
import { ConnectionLostError, connectHttp, connectWebSocket, ParleyClient, type SessionClient } from '@parleyhq/client';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { hold } from '../support/hold.ts';
import { startLocalServer, useLocalServer } from '../support/local-server.ts';
import { startServer } from '../support/use-server.ts';

const shared = useLocalServer();
let local = shared;

/** Sends requests to the server's current port, which changes with a restart. */
const reach: typeof fetch = (path, init) => fetch(`${local.httpUrl}${path}`, init);

function start(fetch = reach): ParleyClient {
  const client = new ParleyClient({ transport: connectHttp('', { fetch }), backoffMs: 10 });
  onTestFinished(() => client.stop());
  client.start();
  return client;
}

const until = (client: { subscribe(listener: () => void): () => void }, holds: () => boolean) =>
  new Promise<void>((resolve) => {
    const stop = client.subscribe(() => check());
    const check = () => {
      if (!holds()) return;
      stop();
      resolve();
    };
    check();
  });

const settled = (session: SessionClient, turns: number) =>
  until(
    session,
    () => session.state.phase === 'live' && session.state.head.turn === null && countTurns(session) === turns,
  );

const countTurns = ({ state }: SessionClient) =>
  [...state.items.values()].filter((item) => item.kind === 'turn' && item.end).length;

/** Lets the server handle a request that a test picks, and loses its response. */
function losing(isMeant: (body: string) => boolean): typeof fetch {
  let isLost = false;
  return async (path, init) => {
    const response = await reach(path, init);
    if (isLost || !isMeant(String(init?.body))) return response;
    isLost = true;
    throw new TypeError('the response was lost');
  };
}

test('[TRN1, FRM6] a lost response has no second effect: repeatable requests are repeated, and others report the loss', async () => {
  const { id } = await start().createSession();
  const client = start(losing((body) => body.includes('"user_message"')));
  const session = client.open(id);
  const messageId = await session.send('hello');
  await settled(session, 1);
  expect([...session.state.items.values()].filter(({ kind }) => kind === 'message')).toHaveLength(1);
  expect(session.state.items.get(`message:${messageId}`)).toBeDefined();
  const other = start(losing((body) => body.includes('"create_session"')));
  await expect(other.createSession({ title: 'once' })).rejects.toThrow(ConnectionLostError);
  await until(other, () => other.state.connection === 'open');
  expect(other.state.sessions.filter(({ title }) => title === 'once')).toHaveLength(1);
});

test('[TRN1, FRM4] a client whose server restarts reconnects and continues where it was', async () => {
  local = await startLocalServer();
  onTestFinished(() => {
    local = shared;
  });
  const client = start();
  const session = client.open((await client.createSession()).id);
  await session.send('before');
  await settled(session, 1);
  await local.restart();
  await until(client, () => client.state.connection === 'open');
  await session.send('/stream 20 1');
  await settled(session, 2);
  const fresh = new ParleyClient({
    transport: connectWebSocket(`ws://127.0.0.1:${local.port}/ws`, WebSocket as never),
  });
  onTestFinished(() => fresh.stop());
  fresh.start();
  const whole = fresh.open(session.sessionId);
  await settled(whole, 2);
  expect(session.state.items).toEqual(whole.state.items);
  expect(session.state.lastSeq).toBe(whole.state.lastSeq);
});

test('[TRN1, DUR2, FRM6] messages in flight when the server was killed are stored once', async () => {
  const server = await startServer();
  const reachIt: typeof fetch = (path, init) => fetch(`${server.httpUrl}${path}`, init);
  const client = start(reachIt);
  const session = client.open((await client.createSession()).id);
  await until(session, () => session.state.phase === 'live');
  const first = session.send('first');
  const sending = Array.from({ length: 20 }, (_, n) => session.send(`message ${n}`));
  await first;
  await server.kill();
  await server.start();
  const messageIds = await Promise.all(sending);
  const stored = () => [...session.state.items.values()].filter(({ kind }) => kind === 'message');
  await until(session, () => session.state.phase === 'live' && stored().length === 21);
  expect(stored().map(({ key }) => key)).toEqual(expect.arrayContaining(messageIds.map((id) => `message:${id}`)));
});

test('[TRN1, SEC6] frames that are sent while a request is in flight go together in the next, within its size limit', async () => {
  const sizes: number[] = [];
  const client = start((path, init) => {
    if (init?.body) sizes.push(Buffer.byteLength(String(init.body)));
    return reach(path, init);
  });
  const session = client.open((await client.createSession()).id);
  await until(session, () => session.state.phase === 'live');
  sizes.length = 0;
  const texts = Array.from({ length: 40 }, (_, n) => (n % 10 ? `small ${n}` : '\u4e00'.repeat(60_000)));
  await Promise.all(texts.map((text) => session.send(text)));
  expect(sizes.length).toBeLessThan(20);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(256 * 1024);
  await expect(session.send('x'.repeat(300_000))).rejects.toMatchObject({ code: 'bad_frame' });
  expect(client.state.connection).toBe('open');
});

test('[TRN1] a reply is delivered after what the server sent before it, even if it arrives earlier', async () => {
  const { until: overtaken, release } = hold();
  let isSlow = false;
  const client = start(async (path, init) => {
    const response = await reach(path, init);
    if (init?.body) {
      const reply = new Response(await response.text(), response);
      if (isSlow) void turns(20).then(release); // it could be read already
      return reply;
    }
    const late = new TransformStream({
      async transform(chunk, controller) {
        if (isSlow) await overtaken;
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body?.pipeThrough(late));
  });
  const session = client.open((await client.createSession()).id);
  await until(session, () => session.state.phase === 'live');
  isSlow = true;
  const messageId = await session.send('hello');
  expect(session.state.items.has(`message:${messageId}`)).toBe(true);
});

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await setImmediate();
}
