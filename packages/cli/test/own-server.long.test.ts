import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';
import { startServer } from '../../server/test/support/use-server.ts';

const timeout = 30_000;

/** Starts a server that records what it is sent. */
async function listen(answer: (url: string) => Promise<string>) {
  const seen: string[] = [];
  const impostor = createServer(async (request, response) => {
    seen.push(JSON.stringify([request.url, request.headers]));
    response.end(await answer(request.url ?? ''));
  });
  impostor.on('upgrade', (request, socket) => {
    seen.push(JSON.stringify([request.url, request.headers]));
    socket.end();
  });
  impostor.listen(0, '127.0.0.1');
  await once(impostor, 'listening');
  onTestFinished(() => void impostor.close());
  return { port: (impostor.address() as AddressInfo).port, seen };
}

test('[SEC2] the command line sends its token to the server of the data directory, and to nobody else', {
  timeout,
}, async () => {
  const server = await startServer({ args: [] });
  const token = server.ready.token as string;
  const list = (port: number) =>
    runParley('grants', 'list', '--port', String(port), '--token', token, '--data-dir', server.dataDir);
  expect(await list(server.ready.port)).toMatchObject({ code: 0, stdout: 'Nothing is granted.\n' });
  const stupid = await listen(async () => '{"proof":"yes"}');
  const relay = await listen(async (url) => (await fetch(`${server.httpUrl}${url}`)).text()); // relays to the real server
  for (const { port, seen } of [stupid, relay]) {
    const { code, stdout, stderr } = await list(port);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('is not the server of');
    expect(seen).toHaveLength(1);
    expect(seen.join()).not.toContain(token);
  }
  expect((await stat(join(server.dataDir, 'parley.key'))).mode & 0o777).toBe(0o600);
});

test('[OPS2, ASK7] the data directory alone is enough to find its server, also after it starts on another port', {
  timeout,
}, async () => {
  const server = await startServer({ args: [] });
  const list = () => runParley('grants', 'list', '--token', server.ready.token as string, '--data-dir', server.dataDir);
  expect(await list()).toMatchObject({ code: 0, stdout: 'Nothing is granted.\n' });
  await server.restart();
  expect(await list()).toMatchObject({ code: 0 });
  const { stdout } = await runParley('connect', 'claude', '--print', '--data-dir', server.dataDir);
  expect(stdout).toContain(`http://127.0.0.1:${server.ready.port}/hooks/claude`);
});

test('[OPS2, OPS5] a server that cannot store its port still serves', { timeout }, async () => {
  const server = await startServer({ args: [] });
  await mkdir(join(server.dataDir, 'parley.port.part'));
  await server.restart();
  expect((await fetch(`${server.httpUrl}/readyz`)).status).toBe(200);
});

test('[SEC2] --open gives the browser a file for its owner alone: neither token nor code is an argument of any program', {
  timeout,
}, async () => {
  const own = await startServer({ args: [] }); // creates a data directory
  await own.kill('SIGTERM');
  const bin = join(own.dataDir, 'bin');
  await mkdir(bin);
  const told = join(own.dataDir, 'told');
  for (const name of ['xdg-open', 'open']) {
    await writeFile(join(bin, name), `#!/bin/sh\necho "$@" > ${told}.part && mv ${told}.part ${told}\n`);
    await chmod(join(bin, name), 0o755);
  }
  const PATH = [bin, process.env.PATH].join(delimiter);
  await own.restart({ args: ['--open'], env: { PATH } });
  const shown = await vi.waitFor(() => readFile(told, 'utf8'), { timeout: 10_000 });
  const code = new URL(own.ready.url).hash.slice('#code='.length);
  for (const secret of [code, own.ready.token]) expect(shown).not.toContain(secret);
  const file = fileURLToPath(shown.trim());
  expect(await readFile(file, 'utf8')).toContain(`url=${own.ready.url}"`);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await own.kill('SIGTERM');
  expect((await readdir(own.dataDir)).filter((name) => name.startsWith('open-'))).toEqual([]);
});
