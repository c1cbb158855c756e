import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Receiver, useInTest } from '@parleyhq/server/testing';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { createToken, runParley } from '../../../server/test/support/command.ts';
import { makeFolder } from '../../../server/test/support/plugin-file.ts';
import { startServer } from '../../../server/test/support/use-server.ts';
import { runDoctor } from './run-doctor.ts';

const token = 'parley_the-owner-of-this-server';

function writeConfig(settings: object): string {
  const file = join(makeFolder(), 'parley.config.json');
  writeFileSync(file, JSON.stringify(settings));
  return file;
}

test('[OPS2] parley doctor finds nothing wrong with a server as it starts, and prints no secret', async () => {
  const server = await startServer({ args: [], env: { PARLEY_TOKEN: token } });
  const { exit, findings, codes, stderr } = await runDoctor(['--data-dir', server.dataDir], { PARLEY_TOKEN: token });
  expect({ exit, codes, stderr }).toEqual({ exit: 0, codes: [], stderr: '' });
  expect(findings.map(({ subject }) => subject)).toEqual(
    expect.arrayContaining(['Settings', 'Data directory', 'Server', 'Tokens', 'Claude Code', 'Codex']),
  );
  expect(JSON.stringify(findings)).not.toContain(token);
  const without = await runDoctor(['--data-dir', server.dataDir]);
  expect(without.findings.flatMap(({ code }) => code ?? [])).toEqual(['only-this-computer', 'token-changes']);
  const { stdout, code } = await runParley('doctor', '--data-dir', server.dataDir);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ok {5}Data directory: .* is private and writable/m);
  expect(stdout).toContain('docs/troubleshooting.md#only-this-computer');
});

test('[OPS2] it says what is missing before the first start, and that a stopped server is stopped', async () => {
  const dataDir = join(makeFolder(), 'parley');
  const before = await runDoctor(['--data-dir', dataDir, '--port', '1']);
  expect(before).toMatchObject({ exit: 1, codes: ['no-data', 'no-server'], stderr: 'parley: 1 fault was found.\n' });
  const server = await startServer({ args: [] });
  await server.kill('SIGTERM');
  const after = await runDoctor(['--data-dir', server.dataDir]);
  expect(after.codes).toEqual(['no-server']);
});

test('[OPS2] it names an invalid setting, a missing variable, a missing plugin, and an MCP server that is not there', async () => {
  expect(await runDoctor(['--config', writeConfig({ prot: 1 })])).toMatchObject({ exit: 1, codes: ['settings'] });
  const server = await startServer({ args: [] });
  const config = writeConfig({
    plugins: ['./missing.mjs'],
    notifiers: [{ notifier: 'ntfy', config: { token: { env: 'NO_SUCH_VARIABLE' } } }],
    pluginConfigs: {
      mcp: {
        mcpServers: {
          gone: { url: 'http://127.0.0.1:1/mcp' },
          here: { command: process.execPath },
          lost: { command: 'no-such-program' },
        },
      },
    },
  });
  const { codes, findings } = await runDoctor(['--data-dir', server.dataDir, '--config', config]);
  expect(codes).toEqual(['plugin-missing', 'environment', 'mcp-server', 'mcp-server']);
  expect(findings.filter(({ code }) => code === 'mcp-server').map(({ subject }) => subject)).toEqual([
    'MCP server gone',
    'MCP server lost',
  ]);
});

test('[SEC8] it finds a data directory that others can open', async () => {
  const server = await startServer({ args: [] });
  chmodSync(server.dataDir, 0o755);
  const { codes } = await runDoctor(['--data-dir', server.dataDir]);
  expect(codes).toEqual(['data-exposed']);
});

test('[OPS2] it finds a data directory that it cannot write to', async () => {
  const dataDir = makeFolder();
  chmodSync(dataDir, 0o500);
  const { codes } = await runDoctor(['--data-dir', dataDir, '--port', '1'], {}, { isBound: true });
  expect(codes).toContain('data-not-writable');
});

test.each([
  ['database-newer', (db: Sqlite.Database) => db.pragma('user_version = 9999')],
  ['database-older', (db: Sqlite.Database) => db.pragma('user_version = 3')],
])('[OPS5] it compares the database with this release, and leaves it as it is: %s', async (code, change) => {
  const server = await startServer({ args: [] });
  await server.kill('SIGTERM');
  const db = new Sqlite(join(server.dataDir, 'parley.db'));
  change(db);
  const version = db.pragma('user_version', { simple: true });
  const { codes } = await runDoctor(['--data-dir', server.dataDir]);
  expect(codes).toEqual([code, 'no-server']);
  expect(db.pragma('user_version', { simple: true })).toBe(version);
  db.close();
});

test('[SEC8] it finds a data directory and a database of another user, and goes on', async () => {
  const server = await startServer({ args: [] });
  const look = async () => (await runDoctor(['--data-dir', server.dataDir], {}, { isBound: true })).codes;
  const nobody = 65_534;
  chownSync(join(server.dataDir, 'parley.db'), nobody, nobody);
  expect(await look()).toEqual(['data-not-writable']);
  chownSync(server.dataDir, nobody, nobody);
  expect(await look()).toContain('data-not-writable');
  expect(await look()).not.toContain('database');
});

test('[OPS5] it finds a damaged database, and a PostgreSQL database that is not there', async () => {
  const dataDir = makeFolder();
  chmodSync(dataDir, 0o700);
  writeFileSync(join(dataDir, 'parley.db'), 'this is no database, and long enough to be taken for one '.repeat(100));
  expect((await runDoctor(['--data-dir', dataDir, '--port', '1'])).codes).toEqual(['database', 'no-server']);
  const env = { PARLEY_STORE: 'postgres://nobody@127.0.0.1:1/parley' };
  expect((await runDoctor(['--data-dir', dataDir, '--port', '1'], env)).codes).toEqual(['database', 'no-server']);
});

test('[SEC2] it never sends the token to another server on the port', async () => {
  const [one, other] = await Promise.all([startServer({ args: [] }), startServer({ args: [] })]);
  const port = String(other.ready.port);
  const { codes } = await runDoctor(['--data-dir', one.dataDir, '--port', port], { PARLEY_TOKEN: token });
  expect(codes).toEqual(['another-server']);
  expect(JSON.stringify(other.stderr)).not.toContain('unauthorised');
});

test('[SEC9] it says whom a token admits, and which have expired', async () => {
  const server = await startServer({ args: [] });
  const viewer = await createToken(server.dataDir, '--role', 'viewer', '--name', 'ann');
  const asker = await createToken(server.dataDir, '--role', 'asker', '--name', 'build');
  const db = new Sqlite(join(server.dataDir, 'parley.db'));
  db.prepare('update tokens set expires_at = ? where id = ?').run('2020-01-01T00:00:00.000Z', asker.id);
  db.close();
  const at = ['--data-dir', server.dataDir];
  expect((await runDoctor([...at, '--token', 'parley_nobody-knows-this-token'])).codes).toEqual([
    'token-unknown',
    'token-expired',
  ]);
  const { codes, findings } = await runDoctor([...at, '--token', viewer.token]);
  expect(codes).toEqual(['token-limited', 'token-expired']);
  expect(findings).toContainEqual(expect.objectContaining({ words: expect.stringContaining('build') }));
  const open = await startServer();
  expect((await runDoctor(['--data-dir', open.dataDir, '--config', writeConfig({ auth: false })])).codes).toEqual([
    'everybody',
  ]);
});

test('[NTF4] --send sends a test to everybody, and says whom it did not reach', async () => {
  const receiver = await useInTest(new Receiver());
  receiver.status = 500;
  const config = writeConfig({
    privateReceivers: true,
    notifiers: [
      {
        notifier: 'webhook',
        config: { url: receiver.origin, secret: Buffer.alloc(32, 7).toString('base64') },
        people: { owner: {}, ann: {} },
      },
    ],
  });
  const server = await startServer({ args: ['--config', config], env: { PARLEY_TOKEN: token } });
  const at = ['--data-dir', server.dataDir, '--config', config];
  expect((await runDoctor(at, { PARLEY_TOKEN: token })).codes).toEqual([]);
  const { exit, codes } = await runDoctor([...at, '--send'], { PARLEY_TOKEN: token });
  expect({ exit, codes }).toEqual({ exit: 1, codes: ['not-notified', 'not-notified'] });
});

test('[SIGN1] it finds a provider of log-ins that is away, or is another', async () => {
  const provider = await useInTest(new Receiver());
  const server = await startServer({ args: [] });
  mkdirSync(server.dataDir, { recursive: true });
  const look = (issuer: string) => {
    const oidc = { issuer, clientId: 'parley', roles: { staff: 'responder' } };
    return runDoctor(['--data-dir', server.dataDir, '--config', writeConfig({ oidc })]);
  };
  expect((await look('http://127.0.0.1:1')).codes).toEqual(['issuer']);
  expect((await look(provider.origin)).codes).toEqual(['issuer']);
});
