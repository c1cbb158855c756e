import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SmallDisk } from './small-disk.ts';
import { findPort, untilReady } from './use-postgres.ts';

/** PostgreSQL does not run as root: it then runs as `nobody`, which can only read its own copy. */
const nobody = 65_534;
const isRoot = process.getuid?.() === 0;
const user = isRoot ? { uid: nobody, gid: nobody } : {};

const settings = ['fsync=off', 'shared_buffers=16MB', 'max_connections=60']; // if a setting is repeated, the last one counts

/** A PostgreSQL server for one test, which can be killed, copied, set back and followed by a standby. */
export class PostgresServer {
  readonly port: number;
  readonly #folder: string;
  #shell: ChildProcess | undefined;
  #disk: SmallDisk | undefined;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.port = port;
  }

  static async create(): Promise<PostgresServer> {
    const native = process.env.PARLEY_POSTGRES;
    if (!native) throw new Error('PostgreSQL is not installed.');
    const folder = mkdtempSync(join(tmpdir(), 'parley-postgres-'));
    cpSync(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
    mkdirSync(join(folder, 'data'), { mode: 0o700 });
    if (isRoot) execFileSync('chown', ['-R', `${nobody}:${nobody}`, folder]);
    const server = new PostgresServer(folder, await findPort());
    const init = ['-D', server.#data, '-U', 'parley', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
    execFileSync(join(folder, 'native/bin/initdb'), init, { ...user, cwd: folder, stdio: 'ignore' });
    return server;
  }

  /** Moves it to a small disk that can be filled. It must not run. @returns undefined if this process may not mount one */
  async moveToSmallDisk(megabytes: number): Promise<SmallDisk | undefined> {
    this.#disk = isRoot ? await SmallDisk.mount(this.#data, megabytes) : undefined;
    return this.#disk;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  urlOf(database: string): string {
    return `postgres://parley@127.0.0.1:${this.port}/${database}`;
  }

  /**
   * Resolves once it accepts connections. It ends with this process, however that ends.
   * @param more - settings as `name=value`
   */
  async start(more: readonly string[] = []): Promise<void> {
    const flags = [...settings, ...more, `unix_socket_directories=${this.#folder}`].flatMap((setting) => [
      '-c',
      setting,
    ]);
    const program = join(this.#folder, 'native/bin/postgres');
    const command = [program, '-D', this.#data, '-h', '127.0.0.1', '-p', String(this.port), ...flags];
    const script = '"$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait';
    const [shell = '', ...words] = [...(this.#disk?.enteringAsNobody ?? []), '/bin/sh', '-c', script, 'sh', ...command];
    this.#shell = spawn(shell, words, {
      ...(this.#disk ? {} : user),
      cwd: this.#folder,
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    await untilReady(this.urlOf('postgres'), this.#shell);
  }

  /** Kills it at once, as a crash would. */
  async crash(): Promise<void> {
    const shell = this.#shell;
    this.#shell = undefined;
    if (!shell || shell.exitCode !== null) return;
    shell.stdin?.end();
    await once(shell, 'exit');
  }

  /** Copies its data for `setBack`. It must have ended. @returns the folder of the copy */
  copy(): string {
    const copy = mkdtempSync(join(this.#folder, 'copy-'));
    cpSync(this.#data, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    return copy;
  }

  /** Restores a copy, like an old snapshot of its disk. It must have ended. */
  setBack(copy: string): void {
    rmSync(this.#data, { recursive: true });
    cpSync(copy, this.#data, { recursive: true, verbatimSymlinks: true });
    if (isRoot) execFileSync('chown', ['-R', `${nobody}:${nobody}`, this.#data]);
    execFileSync('chmod', ['700', this.#data]);
  }

  /** Makes a standby of this server, which must have ended; it follows once both are started. */
  async makeStandby(): Promise<PostgresServer> {
    const standby = await PostgresServer.create();
    standby.setBack(this.copy());
    writeFileSync(join(standby.#data, 'standby.signal'), '');
    const from = `host=127.0.0.1 port=${this.port} user=parley`;
    appendFileSync(join(standby.#data, 'postgresql.auto.conf'), `\nprimary_conninfo = '${from}'\n`);
    if (isRoot) execFileSync('chown', ['-R', `${nobody}:${nobody}`, standby.#data]);
    return standby;
  }

  async remove(): Promise<void> {
    await this.crash();
    this.#disk?.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
