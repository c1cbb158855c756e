import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { codeOf } from '@parleyhq/store-kit/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { usePostgres } from './support/use-postgres.ts';

/** Starts a proxy to a database that breaks each connection after this many chunks of data. @returns its address */
async function breakOffAfter(count: number, url: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    for (const socket of [near, far]) sockets.add(socket.on('error', () => socket.destroy()));
    let said = 0;
    near.on('data', (chunk) => {
      said += 1;
      if (said <= count) far.write(chunk);
      else for (const socket of [near, far]) socket.destroy();
    });
    far.pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return Object.assign(new URL(url), { port: String((server.address() as AddressInfo).port) }).href;
}

test('[OPS4, DUR8] wherever a connection to the database breaks, all that waits fails, and no unhandled rejection ends the process', async () => {
  const url = await (await usePostgres()).createDatabase();
  const stray: unknown[] = [];
  const note = (error: unknown) => stray.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  for (let count = 1; count <= 6; count += 1)
    expect(await codeOf(openPostgresStore(await breakOffAfter(count, url)))).toBe('StoreError failed');
  expect(stray).toEqual([]);
});
