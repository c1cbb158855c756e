import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ParleyClient } from './parley-client.ts';
import { FakeServer, makeTurn } from './testing/index.ts';
import { connectDirect } from './transports/direct.ts';

let server: FakeServer;
let client: ParleyClient;
/** What was sent and did not reach the server yet; undefined once all goes through. */
let held: (() => void)[] | undefined;

beforeEach(() => {
  vi.useFakeTimers();
  held = [];
  server = new FakeServer();
  server.addSession('s');
  server.append('s', ...makeTurn(1));
  client = new ParleyClient({ transport: connectDirect(openSlowPipe), clientId: 'tab' });
});

afterEach(() => {
  client.stop();
  vi.useRealTimers();
});

const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const types = () => server.received.map(({ type }) => type);

function openSlowPipe() {
  const pipe = server.openPipe();
  const { send } = pipe;
  pipe.send = (text) => {
    if (held) held.push(() => send(text));
    else send(text);
  };
  return pipe;
}

async function letThrough(): Promise<void> {
  const frames = held ?? [];
  held = undefined;
  for (const pass of frames) pass();
  await settle();
}

test('[RPL1] a session that is opened before the connection is asked for right behind the hello, once', async () => {
  const session = client.open('s');
  client.start();
  await settle();
  expect(held).toHaveLength(2);
  await letThrough();
  expect(types()).toEqual(['hello', 'subscribe']);
  expect(session.state).toMatchObject({ phase: 'live', lastSeq: 9 });
});

test('[FRM4] a connection that ends before the welcome takes along what followed its hello: the next one asks anew', async () => {
  const session = client.open('s');
  client.start();
  await settle();
  server.drop();
  held = [];
  await settle(2000);
  expect(held).toHaveLength(2);
  await letThrough();
  expect(types()).toEqual(['hello', 'subscribe']);
  expect(session.state.phase).toBe('live');
});

test('[SEC4] whoever was logged in before is followed by nothing until it is known who is logged in now', async () => {
  client.open('s');
  client.start();
  await letThrough();
  held = [];
  server.drop();
  await settle(2000);
  expect(held).toHaveLength(1);
  await letThrough();
  expect(types()).toEqual(['hello', 'subscribe', 'hello', 'subscribe']);
});

test('[RPL1] a session that is closed before the welcome is not followed on, and one that is opened again is', async () => {
  client.start();
  const closed = client.open('s');
  await settle();
  closed.close();
  await letThrough();
  expect(types()).toEqual(['hello', 'subscribe', 'unsubscribe']);
  const again = client.open('s');
  await settle();
  expect(again.state.phase).toBe('live');
});

test('[OPS5] a session that does not exist is reported as gone, also where the hello asked for it', async () => {
  const session = client.open('nowhere');
  client.start();
  await letThrough();
  expect(session.state.phase).toBe('gone');
});
