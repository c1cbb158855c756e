import { readdirSync, readlinkSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, test, vi } from 'vitest';
import { startLocalServer } from '../support/local-server.ts';
import { leave, openSockets, rawRequest, upgradeLines } from '../support/raw-http.ts';
import { startServer } from '../support/use-server.ts';

/** Counts the sockets of a process. */
function countSockets(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(`${folder}/${name}`).startsWith('socket:');
    } catch {
      return false; // closed meanwhile
    }
  }).length;
}

/** Sends an upgrade that is refused, and neither reads the answer nor closes. */
function knock(port: number, lines: readonly string[]): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n`, () => resolve(socket));
    });
    socket.on('error', () => undefined).pause();
  });
}

test.runIf(process.platform === 'linux')(
  '[SEC11] hundreds of refused upgrades leave no descriptor open, though their clients never close',
  async () => {
    const server = await startServer();
    const { port, pid } = server.ready;
    await rawRequest(port, ['GET /healthz HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Connection: close']);
    const before = countSockets(pid);
    const foreign = upgradeLines([`Host: 127.0.0.1:${port}`, 'Origin: https://elsewhere.example']);
    const lost = ['GET /elsewhere HTTP/1.1', ...upgradeLines([`Host: 127.0.0.1:${port}`]).slice(1)];
    const sockets = await Promise.all(Array.from({ length: 300 }, (_, n) => knock(port, n % 2 === 0 ? foreign : lost)));
    await vi.waitFor(() => expect(countSockets(pid)).toBeLessThanOrEqual(before), { timeout: 8000 });
    for (const socket of sockets) socket.destroy();
  },
);

test('[SEC3, SEC11] a refused upgrade still gets the reason', async () => {
  const { port } = await startLocalServer();
  const lines = upgradeLines([`Host: 127.0.0.1:${port}`, 'Origin: https://elsewhere.example']);
  const { status, text } = await rawRequest(port, lines);
  expect(status).toBe(403);
  expect(text).toContain('elsewhere.example');
});

test('[SEC11] one address holds half of the sockets that have not said hello, and those that have do not count', async () => {
  const local = await startLocalServer({ unadmittedSockets: 40 });
  const { server, port } = local;
  const tabs = [];
  for (let n = 0; n < 30; n += 1) tabs.push(await local.open());
  const crowd = await openSockets(port, 20);
  const { status } = await rawRequest(port, ['GET /healthz HTTP/1.1', `Host: 127.0.0.1:${port}`]);
  expect(status).toBe(503);
  expect(await server.metrics.registry.metrics()).toMatch(/limits_reached_total\{limit="unadmittedSockets"\} [1-9]/);
  await tabs[0]?.ask({ type: 'list_sessions' });

  await Promise.all(crowd.map(leave));
  await (await local.open()).ask({ type: 'list_sessions' });
});

test('[SEC1, SEC11] behind a proxy all sockets have one address, and may use the whole limit', async () => {
  const { port } = await startLocalServer({ unadmittedSockets: 40, isBehindProxy: true });
  const crowd = await openSockets(port, 39);
  const { status } = await rawRequest(port, ['GET /healthz HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Connection: close']);
  expect(status).not.toBe(503);
  await Promise.all(crowd.map(leave));
});
