import { RefusalError } from '@parleyhq/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ParleyClient } from './parley-client.ts';
import { FakeServer, makeTurn } from './testing/index.ts';
import { connectDirect } from './transports/direct.ts';

let server: FakeServer;
let client: ParleyClient;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-31T12:00:00Z') });
  server = new FakeServer();
  server.addSession('s');
  client = new ParleyClient({ transport: connectDirect(server.openPipe), clientId: 'tab', label: 'Test' });
  client.start();
});

afterEach(() => {
  client.stop();
  vi.useRealTimers();
});

const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

test('[RPL1] a subscription that failed because of the database is tried again', async () => {
  server.append('s', ...makeTurn(1));
  let refusals = 2;
  server.refuse = (frame) =>
    frame.type === 'subscribe' && refusals-- > 0 ? new RefusalError('storage_failed') : undefined;
  const session = client.open('s');
  await settle(5000);
  expect(session.state.phase).toBe('live');
  session.close();
  const { length } = server.received;
  server.refuse = (frame) => (frame.type === 'subscribe' ? new RefusalError('storage_failed') : undefined);
  client.open('s').close();
  await settle(5000);
  expect(server.received.slice(length).filter(({ type }) => type === 'subscribe')).toHaveLength(1);
});
