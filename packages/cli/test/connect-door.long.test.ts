import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { createToken, runParley } from '../../server/test/support/command.ts';
import { mainPath } from '../../server/test/support/server-process.ts';
import { useServer } from '../../server/test/support/use-server.ts';

const server = useServer({ args: [] });
const stranger = createServer((_, response) => response.end('Hello.'));
const later = new WebSocketServer({ noServer: true });

let strangerUrl: string;
let laterUrl: string;
const future = createServer((_, response) => response.writeHead(404).end());
beforeAll(async () => {
  const listen = async (each: typeof stranger) => {
    await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(each.address() as AddressInfo).port}`;
  };
  strangerUrl = await listen(stranger);
  laterUrl = await listen(future);
  const refusal = { type: 'error', code: 'unsupported_protocol', message: 'Version 7 is spoken here.' };
  future.on('upgrade', (request, socket, head) =>
    later.handleUpgrade(request, socket, head, (each) =>
      each.once('message', () => each.send(JSON.stringify(refusal))),
    ),
  );
});
afterAll(() => {
  stranger.close();
  future.close();
  later.close();
});

async function connect(program: string, url: string, ...words: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'settings');
  const flags = ['--url', url, '--yes', '--settings', file, ...words];
  const { code, stdout, stderr } = await runParley('connect', program, ...flags);
  return { code, stdout, stderr, text: await readFile(file, 'utf8').catch(() => undefined) };
}
const refused = (words: RegExp) => ({ code: 1, stdout: '', stderr: expect.stringMatching(words), text: undefined });
const ids = async () => (await runParley('token', 'list', '--data-dir', server.dataDir)).stdout;

test.each(['claude', 'codex'])('[ASK7] connect %s reports the address at which no server answers', async (program) => {
  const outcome = await connect(program, 'http://127.0.0.1:1', '--data-dir', server.dataDir);
  expect(outcome).toMatchObject({ code: 0, stdout: expect.stringContaining('No server answers there now') });
  expect(outcome.text).toContain('http://127.0.0.1:1/');
});

test.each(['claude', 'codex'])(
  '[ASK7] connect %s writes no token for a port on which another program listens',
  async (program) => {
    const before = await ids();
    expect(await connect(program, strangerUrl, '--data-dir', server.dataDir)).toEqual(
      refused(/is not the server of .*--data-dir/),
    );
    const { token } = await createToken(server.dataDir, '--role', 'asker');
    expect(await connect(program, strangerUrl, '--token', token)).toEqual(
      refused(/is not a Parley server.* 200: Hello\./),
    );
    expect((await ids()).startsWith(before)).toBe(true);
  },
);

test('[ASK7] connect writes no token that the server does not know, nor one of another role than asker', async () => {
  const unknown = 'parley_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
  expect(await connect('codex', server.httpUrl, '--token', unknown)).toEqual(
    refused(/does not know this token.*--token/),
  );
  const empty = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(empty, { recursive: true, force: true }));
  expect(await connect('codex', server.httpUrl, '--data-dir', empty)).toEqual(refused(/does not know.*--data-dir/));
  expect((await runParley('token', 'list', '--data-dir', empty)).stdout).toMatch(/^There are no tokens/);
  const { token: viewer } = await createToken(server.dataDir, '--role', 'viewer');
  expect(await connect('codex', server.httpUrl, '--token', viewer)).toEqual(refused(/a viewer's, and may not ask/));
  const own = server.ready.token as string;
  expect(await connect('codex', server.httpUrl, '--token', own)).toEqual(
    refused(/operator's, and may do more than ask/),
  );
});

test.each(['claude', 'codex'])('[ASK7] connect %s reports that it cannot read a settings file', async (program) => {
  const { code, stderr } = await runParley('connect', program, '--yes', '--settings', server.dataDir);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/cannot be read .*left as it is/) });
});

test('[SEC10] connect takes no address from a config file that was neither named nor trusted', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'parley.config.json'), '{"port":7421}');
  const args = [mainPath, 'connect', 'codex', '--yes', '--settings', 'settings.toml'];
  const outcome = await new Promise((resolve) => {
    const options = { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } };
    execFile(process.execPath, args, options, (error, _, stderr) => resolve({ code: error?.code, stderr }));
  });
  expect(outcome).toEqual({ code: 2, stderr: expect.stringContaining('parley.config.json') });
  expect(await readdir(folder)).toEqual(['parley.config.json']);
});

test('[ASK7] connect reports that a server is of another version', async () => {
  const { token } = await createToken(server.dataDir, '--role', 'asker');
  expect(await connect('codex', laterUrl, '--token', token)).toEqual(
    refused(/another version.*Version 7 is spoken here/),
  );
});

test('[ASK7] connect takes a token that was made elsewhere, and revokes no other', async () => {
  const { token, id } = await createToken(server.dataDir, '--role', 'asker');
  const { code, text } = await connect('claude', server.httpUrl, '--token', token);
  expect(code).toBe(0);
  expect(text).toContain(token);
  expect((await ids()).split(id)).toHaveLength(2);
});
