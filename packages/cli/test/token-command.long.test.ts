import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createToken, runParley } from '../../server/test/support/command.ts';
import type { ServerProcess } from '../../server/test/support/server-process.ts';
import { startServer, useServer } from '../../server/test/support/use-server.ts';

const timeout = 60_000;
const server = useServer({ args: [] });

const token = (...words: string[]) => runParley('token', ...words, '--data-dir', server.dataDir);
const enter = (at: ServerProcess, given: string) => at.open({ hello: { token: given } });

test('[SEC4, OPS2] parley token makes, lists and revokes a token while the server is running', {
  timeout,
}, async () => {
  expect(await token('list')).toMatchObject({ code: 0, stdout: expect.stringContaining('no tokens') });
  const made = await token('create', '--role', 'viewer', '--name', 'Ann', '--expires', '2h');
  const [, id, secret] =
    /^([0-9a-f]{12}) {2}viewer {2}Ann {2}all sessions[\s\S]*\n {2}(parley_\S{43})\n\n$/.exec(made.stdout) ?? [];
  const tab = await enter(server, secret as string);
  expect((await tab.waitFor('welcome')).principal).toEqual({ id, role: 'viewer', name: 'Ann' });

  const listed = await token('list', '--json');
  expect(JSON.parse(listed.stdout)).toEqual({
    id,
    role: 'viewer',
    name: 'Ann',
    createdAt: expect.any(String),
    expiresAt: expect.any(String),
  });
  expect(await token('revoke', id as string)).toMatchObject({ code: 0, stdout: `Revoked ${id}.\n` });
  expect(await tab.closed()).toBe(4401);
  expect(await token('revoke', id as string)).toMatchObject({
    code: 1,
    stderr: `parley: There is no token "${id}".\n`,
  });
  const again = await server.open({ hello: null });
  again.send({ type: 'hello', protocol: 1, token: secret });
  expect(await again.closed()).toBe(4401);
});

test('[SEC4, OPS2] a token made before the first start is known to the server', { timeout }, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
  await rm(dataDir, { recursive: true });
  const made = await createToken(dataDir, '--role', 'operator');
  const own = await startServer({ dataDir, args: [] });
  await (await enter(own, made.token)).createSession();
  await own.kill('SIGTERM');
  expect((await runParley('token', 'list', '--data-dir', dataDir)).stdout).toContain(`${made.id}  operator`);
});

test('[SEC4, SEC8] a token is stored hashed: it is in no file and no log', { timeout }, async () => {
  const made = await createToken(server.dataDir, '--role', 'viewer');
  await enter(server, made.token);
  const entries = await readdir(server.dataDir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(files.map((file) => readFile(file, 'latin1')));
  expect(texts.some((text) => text.includes(made.id))).toBe(true);
  for (const text of [...texts, ...server.stderr]) expect(text).not.toContain(made.token);
});

test.each([
  [['create'], /required option '--role <role>' not specified/],
  [['create', '--role', 'admin'], /--role: must be one of viewer, responder, operator, asker, not "admin"\./],
  [['create', '--role', 'viewer', '--expires', 'soon'], /--expires: "soon" is neither a date .* nor a duration/],
  [['create', '--role', 'viewer', '--expires', '2001-01-01'], /--expires: "2001-01-01" is in the past\./],
  [['create', '--role', 'viewer', '--sessions', 'nowhere'], /--sessions: there is no session "nowhere"\./],
  [['create', '--role', 'viewer', '--sessions', ','], /--sessions: name at least one/],
  [
    ['create', '--role', 'viewer', '--name', 'owner'],
    /--name: "owner" is reserved for the holder of the server's own token\./,
  ],
  [['create', '--role', 'viewer', '--name', 'x\u001b[2J\nadmin'], /--name: must be readable text on one line\./],
])('[OPS2] parley token %j is refused with a message and code 2', { timeout }, async (words, said) => {
  const { code, stdout, stderr } = await token(...words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(said);
});
