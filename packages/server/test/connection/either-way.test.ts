import { connectServer, ParleyClient, type ServerOptions } from '@parleyhq/client';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { startLocalServer, useLocalServer } from '../support/local-server.ts';
import { NarrowProxy } from '../support/narrow-proxy.ts';

const shared = useLocalServer();

function start(origin: string, options: ServerOptions = {}): ParleyClient {
  const transport = connectServer(origin, { WebSocket: WebSocket as never, ...options });
  const client = new ParleyClient({ transport, backoffMs: 10 });
  onTestFinished(() => client.stop());
  client.start();
  return client;
}

const until = (client: ParleyClient, holds: () => boolean) =>
  new Promise<void>((resolve) => {
    const check = () => {
      if (!holds()) return;
      stop();
      resolve();
    };
    const stop = client.subscribe(check);
    check();
  });
const opened = (client: ParleyClient) => until(client, () => client.state.connection === 'open');

test.each(['refused', 'ignored'] as const)(
  '[TRN1] where WebSockets are %s, the client connects over plain HTTP by itself',
  async (upgrades) => {
    const proxy = await NarrowProxy.before(() => shared.port);
    proxy.upgrades = upgrades;
    const client = start(proxy.origin, { patienceMs: 50 });
    const { id } = await client.createSession({ title: upgrades });
    expect(client.state.sessions.map((session) => session.id)).toContain(id);
    expect(proxy.paths).toContain('/api/stream');
  },
);

test('[TRN1] one broken attempt does not mean a proxy: the next one is a WebSocket again', async () => {
  const proxy = await NarrowProxy.before(() => shared.port);
  const client = start(proxy.origin);
  await until(client, () => proxy.tried === 1);
  proxy.upgrades = 'passed';
  await opened(client);
  expect(proxy.paths).not.toContain('/api/stream');
});

test('[TRN1, FRM4] after a restart of the server it finds its way back, first by WebSocket', async () => {
  const local = await startLocalServer();
  const proxy = await NarrowProxy.before(() => local.port);
  const client = start(proxy.origin);
  await opened(client);
  proxy.upgrades = 'passed';
  const { tried } = proxy;
  const streams = proxy.paths.filter((path) => path === '/api/stream').length;
  await local.restart();
  await until(client, () => client.state.connection !== 'open');
  await opened(client);
  expect(proxy.tried).toBeGreaterThan(tried);
  expect(proxy.paths.filter((path) => path === '/api/stream')).toHaveLength(streams);
});

test('[TRN1] a refusal of the server is reported as it is, and no other transport is tried', async () => {
  const guarded = await startLocalServer({ token: 'a-token-that-is-long-enough-for-everybody' });
  const proxy = await NarrowProxy.before(() => guarded.port);
  proxy.upgrades = 'passed';
  const client = start(proxy.origin);
  await until(client, () => client.state.connection === 'refused');
  expect(proxy.paths).toEqual([]);
});
