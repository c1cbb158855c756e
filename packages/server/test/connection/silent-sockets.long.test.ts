import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startLocalServer } from '../support/local-server.ts';
import { openSockets } from '../support/raw-http.ts';

test('[SEC11] a client that connects and sends nothing, or never ends a request, is cut off', async () => {
  const { port } = await startLocalServer();
  const [silent, halting] = await openSockets(port, 2);
  halting?.write('GET / HTTP/1.1\r\nHost: ');
  const ends = [silent, halting].map((socket) => socket && once(socket.resume(), 'close'));
  expect(await Promise.all(ends)).toHaveLength(2);
});
