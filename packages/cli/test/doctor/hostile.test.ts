import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Server } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ParleyProcess } from '../../../server/test/support/command.ts';
import { makeFolder } from '../../../server/test/support/plugin-file.ts';
import { startServer } from '../../../server/test/support/use-server.ts';
import { runDoctor } from './run-doctor.ts';

const token = 'parley_the-owner-of-this-server';

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ready: RequestListener = (request, response) => {
  if (request.url === '/readyz') response.end('{"ready":true}');
  else if (request.url === '/') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>');
  else response.writeHead(500).end();
};

/** Answers like a server, but for one path. */
const but =
  (path: string, listener: RequestListener): RequestListener =>
  (request, response) => {
    const isThat = request.url?.startsWith(path);
    if (isThat) listener(request, response);
    else ready(request, response);
  };

test.each<[string, () => Server, string]>([
  ['takes requests and never answers', () => createServer(() => undefined), 'no-server'],
  ['closes each connection at once', () => createSocketServer((socket) => socket.end()), 'no-server'],
  ['never ends its answer', () => createServer((_, response) => response.write('{')), 'no-server'],
  ['answers with a message that is none', () => refusing({ error: { message: {} } }), 'address-refused'],
])('[OPS2] parley doctor says so if a server %s', async (_, makeServer, code) => {
  const { exit, codes } = await runDoctor(['--url', await listen(makeServer())]);
  expect({ exit, codes }).toEqual({ exit: 1, codes: [code] });
});

function refusing(body: object): Server {
  return createServer((_, response) => response.writeHead(403).end(JSON.stringify(body)));
}

test('[OPS2] and if it refuses sockets without an end, its list of questions, or its stream', async () => {
  const endless = createServer(ready);
  endless.on('upgrade', (_, socket) => {
    socket.on('error', () => socket.destroy());
    socket.write('HTTP/1.1 500 Internal Server Error\r\n\r\nNo');
  });
  const url = await listen(endless);
  expect((await runDoctor(['--url', url])).codes).toEqual(['no-upgrade']);
  const withToken = async (path: string, listener: RequestListener) =>
    (await runDoctor(['--url', await listen(createServer(but(path, listener))), '--token', token])).codes;
  expect(await withToken('/api/interactions', (_, response) => response.writeHead(429).end())).toContain('not-ready');
  const stream: RequestListener = (request, response) =>
    response.writeHead(request.url?.startsWith('/api/stream') ? 502 : 200).end('{}');
  expect(await withToken('/api/', stream)).toContain('buffered');
});

test('[ASK8, OPS2] a command ends with its own exit code if a server closes each connection at once', async () => {
  const server = await startServer({ args: [] });
  await server.kill('SIGTERM');
  const { port } = new URL(await listen(createSocketServer((socket) => socket.end())));
  const words = ['inbox', '--port', port, '--data-dir', server.dataDir, '--token', token];
  const { code, stderr } = await new ParleyProcess(words).end();
  expect([code, stderr]).toEqual([1, expect.stringContaining('No server answers')]);
});

test('[OPS2, SEC8] it never prints a password of an address', async () => {
  const file = join(makeFolder(), 'parley.config.json');
  const mcpServers = {
    one: { url: 'http://user:S3CRET@127.0.0.1:9/x?key=S3CRET' },
    two: { url: '$S3CRET' },
    three: {},
  };
  writeFileSync(
    file,
    JSON.stringify({ publicUrl: 'https://user:S3CRET@127.0.0.1:9', pluginConfigs: { mcp: { mcpServers } } }),
  );
  const server = await startServer({ args: [] });
  const here = await runDoctor(['--data-dir', server.dataDir, '--config', file, '--port', String(server.ready.port)]);
  expect(here.codes).toEqual(['settings', 'mcp-server', 'mcp-server', 'mcp-server']);
  const there = await runDoctor(['--url', 'http://user:S3CRET@127.0.0.1:9/']);
  expect(there.codes).toEqual(['settings']);
  expect(JSON.stringify([here, there])).not.toContain('S3CRET');
});

test('[OPS2] a data directory that is none is a finding, and everything else is examined', async () => {
  const folder = makeFolder();
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  symlinkSync('loop', join(folder, 'loop'));
  symlinkSync('nothing', join(folder, 'dangling'));
  const look = async (name: string) => (await runDoctor(['--data-dir', join(folder, name), '--port', '1'])).codes;
  for (const name of ['fifo', 'dangling']) expect(await look(name)).toEqual(['data-not-writable', 'no-server']);
  expect(await look('loop')).toEqual(['settings']);
  mkdirSync(join(folder, 'empty'), { mode: 0o700 });
  writeFileSync(join(folder, 'empty', 'parley.db'), '');
  expect((await runDoctor(['--data-dir', join(folder, 'empty'), '--port', '1'])).codes).toEqual([
    'database',
    'no-server',
  ]);
  const server = await startServer({ args: [] });
  await server.kill('SIGTERM');
  rmSync(join(server.dataDir, 'parley.lock'), { force: true });
  symlinkSync('/dev/null', join(server.dataDir, 'parley.lock'));
  expect((await runDoctor(['--data-dir', server.dataDir])).codes).toEqual(['no-server']);
});
