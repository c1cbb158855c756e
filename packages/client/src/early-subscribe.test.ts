import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ParleyClient } from './parley-client.ts';
import { FakeServer, makeTurn } from './testing/index.ts';
import { connectDirect } from './transports/direct.ts';

let server: FakeServer;
let client: ParleyClient;
/** Frames that were sent and have not arrived yet; undefined once they arrive at once. */
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

test('[RPL1] a session that is opened before the connection is subscribed once, right after the hello', async () => {
  const session = client.open('s');
  client.start();
  await settle();
  expect(held).toHaveLength(2);
  await letThrough();
  expect(types()).toEqual(['hello', 'subscribe']);
  expect(session.state).toMatchObject({ phase: 'live', lastSeq: 9 });
});

test('[FRM4] if a connection ends before the welcome, the next one subscribes again', async () => {
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

test('[SEC4] after a login, nothing follows the hello until the welcome names the principal', async () => {
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

test('[RPL1] a session that is closed before the welcome is unsubscribed, unless it is opened again', async () => {
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

test('[OPS5] a session that does not exist is reported as gone, also if it was subscribed with the hello', async () => {
  const session = client.open('nowhere');
  client.start();
  await letThrough();
  expect(session.state.phase).toBe('gone');
});
