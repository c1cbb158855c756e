// nginx in front of two nodes, with the lines of docs/scale.md, and a client that has no WebSocket.
import { connectServer, ParleyClient } from '@parleyhq/client';
import { expect, onTestFinished, test } from 'vitest';
import { findPort, usePostgres } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { PersonTab } from '../../../client/src/process/person-tab.ts';
import { ServerProcess } from '../../../server/test/support/server-process.ts';
import { adapt, pathOf } from './example.ts';
import { findPlaces, TlsTunnel, WebProxy } from './proxy.ts';

const token = 'parley_of-the-owner-of-two-nodes';

test('[OPS4, TRN1] over plain HTTP a person stays at one node, and moves to the other when that stops', {
  timeout: 120_000,
}, async () => {
  const places = await findPlaces();
  const tunnel = await TlsTunnel.open(places);
  onTestFinished(() => tunnel.close());
  const env = {
    PARLEY_TOKEN: token,
    PARLEY_STORE: await (await usePostgres()).createDatabase(),
    PARLEY_ALLOWED_ORIGINS: `https://${tunnel.host}`,
  };
  const ports = [places.server, await findPort()] as const;
  const start = (port: number) =>
    ServerProcess.start({ args: ['--port', String(port)], plugins: [pathOf('docs/examples/hello.mjs')], env });
  const nodes = [await start(ports[0]), await start(ports[1])];
  for (const node of nodes) onTestFinished(() => node.remove());
  const upstream = adapt('nginx-nodes.conf', {
    '10.0.0.11:7420': `127.0.0.1:${ports[0]}`,
    '10.0.0.12:7420': `127.0.0.1:${ports[1]}`,
  });
  const proxy = await WebProxy.startNginx(
    places,
    (site) => upstream + site.replace(`proxy_pass http://127.0.0.1:${places.server};`, 'proxy_pass http://parley;'),
  );
  onTestFinished(() => proxy.stop());

  const client = new ParleyClient({ token, transport: connectServer(`http://${tunnel.host}`) });
  client.start();
  onTestFinished(() => client.stop());
  const { id } = await client.createSession({});
  const tab = new PersonTab(client, client.open(id));
  await tab.until(({ phase }) => phase === 'live' || undefined, 'the session');
  for (let count = 0; count < 5; count += 1) await tab.submit(await tab.ask('greet'), { name: 'Ada' });
  const prompt = await tab.ask('greet');
  const isServed = () =>
    client.request({ type: 'list_grants' }).then(
      () => true,
      () => false, // the connection was lost meanwhile
    );
  for (const node of nodes) {
    expect(await node.kill('SIGTERM')).toBe(0);
    await expect.poll(isServed, { timeout: 60_000 }).toBe(true);
    await node.start();
  }
  await tab.submit(prompt, { name: 'Bea' });
  expect(await tab.result(prompt)).toEqual({ result: 'Hello, Bea!' });
  expect(tab.events('interaction_request')).toHaveLength(6);
});
