import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';

/** PostgreSQL does not run as root: it then runs as `nobody`, which can only read its own copy. */
const nobody = 65_534;

/** The PostgreSQL server of the tests, which can create any number of databases. */
export interface TestPostgres {
  /** Creates an empty database. @returns its address */
  createDatabase(): Promise<string>;
  /** Empties one reused database, which takes less time than creating one. @returns its address */
  emptyDatabase(): Promise<string>;
}

const running = new Map<string, Promise<TestPostgres>>();

/**
 * Starts one server for each test process, which ends with the process. `TEST_PG_URL` names another, whose user may create
 * databases.
 * @param native - the folder of a release other than the default
 */
export function usePostgres(native = ''): Promise<TestPostgres> {
  const server = running.get(native) ?? start(native);
  running.set(native, server);
  return server;
}

async function start(native: string): Promise<TestPostgres> {
  const { TEST_PG_URL: given, PARLEY_POSTGRES: usual } = process.env; // set by scripts/vitest-setup.mjs
  const url = native === '' && given !== undefined ? given : await launch(native || usual);
  const open = (address: string) => postgres(address, { max: 1, onnotice: () => undefined });
  const admin = open(url);
  let count = 0;
  const createDatabase = async () => {
    count += 1;
    const name = `parley_${process.pid}_${count}`;
    await admin.unsafe(`drop database if exists ${name}`);
    await admin.unsafe(`create database ${name}`);
    return Object.assign(new URL(url), { pathname: `/${name}` }).href;
  };
  let reused: Promise<{ address: string; sql: postgres.Sql }> | undefined;
  return {
    createDatabase,
    async emptyDatabase() {
      reused ??= createDatabase().then((address) => ({ address, sql: open(address) }));
      const { address, sql } = await reused;
      await sql.unsafe('drop schema public cascade; create schema public');
      return address;
    },
  };
}

/** @returns its address */
async function launch(native: string | undefined): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-postgres-'));
  if (!native) throw new Error('PostgreSQL is not installed: name a server with TEST_PG_URL.');
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? { uid: nobody, gid: nobody } : {};
  cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  // the user that runs the server also removes the folder
  if (isRoot) execFileSync('chown', ['-R', `${nobody}:${nobody}`, folder]);
  const program = (name: string) => join(folder, 'native', 'bin', name);
  const init = ['-D', data, '-U', 'parley', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(program('initdb'), init, { ...user, cwd: folder, stdio: 'ignore' });
  const port = await findPort();
  const settings = ['fsync=off', 'shared_buffers=32MB', 'max_connections=120', `unix_socket_directories=${folder}`];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  // When this process ends, however it does, the input of the shell closes; the shell then ends the server and removes its
  // folder.
  const script = '"$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait; rm -rf "$0"';
  const command = [program('postgres'), '-D', data, '-h', '127.0.0.1', '-p', String(port), ...flags];
  const shell = spawn('/bin/sh', ['-c', script, folder, ...command], {
    ...user,
    cwd: folder,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // a signal to this process group must not end the shell, which cleans up
  });
  shell.unref();
  (shell.stdin as unknown as { unref(): void }).unref();
  const url = `postgres://parley@127.0.0.1:${port}/postgres`;
  await untilReady(url, shell);
  return url;
}

/** Resolves once the server accepts connections. @throws Error if its process has ended */
export async function untilReady(url: string, shell: ChildProcess): Promise<void> {
  for (;;) {
    if (shell.exitCode !== null) throw new Error('PostgreSQL did not start.');
    const sql = postgres(url, { max: 1, connect_timeout: 2 });
    try {
      await sql`select 1`;
      return;
    } catch {
      await sleep(50);
    } finally {
      await sql.end({ timeout: 0 });
    }
  }
}

export async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
