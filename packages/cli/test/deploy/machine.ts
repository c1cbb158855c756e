import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathOf } from './example.ts';

interface Running {
  /** The user and group as numbers. Default: root, with all capabilities */
  readonly user?: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The folders that can be written. Default: all */
  readonly writable?: readonly string[];
}

/** How a command ended. */
export interface Output {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * A file system of its own with the programs of this machine, as a container has. Processes in it share only the network with this
 * machine. Each run mounts it anew in a namespace that ends with the run.
 */
export class Machine {
  readonly root: string;
  readonly #folder: string;
  readonly #children = new Set<ChildProcess>();

  constructor() {
    if (process.getuid?.() !== 0)
      throw new Error('This test needs root: it mounts a file system and changes users in it.');
    // next to the packages, so that they can be linked instead of copied
    this.#folder = mkdtempSync(join(pathOf('node_modules'), '.parley-machine-'));
    chmodSync(this.#folder, 0o755);
    this.root = join(this.#folder, 'root');
    for (const folder of ['usr', 'proc', 'dev', 'etc', 'tmp', 'var/log', 'var/lib', 'opt', 'local/bin'])
      mkdirSync(this.path(folder), { recursive: true });
    chmodSync(this.path('tmp'), 0o1777);
    for (const name of ['bin', 'sbin', 'lib', 'lib32', 'lib64'].filter((each) => existsSync(`/${each}`)))
      if (lstatSync(`/${name}`).isSymbolicLink()) symlinkSync(readlinkSync(`/${name}`), this.path(name));
      else mkdirSync(this.path(name));
    for (const file of ['ld.so.cache', 'login.defs', 'nsswitch.conf', 'ssl/openssl.cnf', 'alternatives'])
      if (existsSync(`/etc/${file}`))
        cpSync(`/etc/${file}`, this.path('etc', file), { recursive: true, verbatimSymlinks: true });
    this.write('etc/passwd', 'root:x:0:0:root:/:/bin/sh\nnode:x:1000:1000::/:/bin/sh\n');
    this.write('etc/group', 'root:x:0:\nnode:x:1000:\n');
    this.write('etc/shadow', 'root:*:1::::::\nnode:*:1::::::\n', 0o600);
    this.write('etc/gshadow', '', 0o600);
    this.write('etc/hosts', '127.0.0.1 localhost\n');
    this.write('local/bin/node', ''); // this process's own is mounted here
  }

  path(...parts: string[]): string {
    return join(this.root, ...parts);
  }

  write(file: string, text: string, mode = 0o644): void {
    writeFileSync(this.path(file), text, { mode });
  }

  read(file: string): string {
    return readFileSync(this.path(file), 'utf8');
  }

  /** Makes a folder that belongs to a user. */
  makeFolder(folder: string, user = 0): void {
    mkdirSync(this.path(folder), { recursive: true });
    chownSync(this.path(folder), user, user);
  }

  /** Links the files of a folder of this machine to a place in it. */
  link(from: string, to: string): void {
    execFileSync('cp', ['-al', from, this.path(to)]);
  }

  /** Runs a command until it ends. */
  async run(command: readonly string[], options: Running = {}): Promise<Output> {
    const child = this.start(command, options);
    const [stdout, stderr]: [string[], string[]] = [[], []];
    child.stdout?.on('data', (chunk) => stdout.push(String(chunk)));
    child.stderr?.on('data', (chunk) => stderr.push(String(chunk)));
    const [code] = await once(child, 'close');
    return { code, stdout: stdout.join(''), stderr: stderr.join('') };
  }

  /** Starts a command. The process is the command's own, so that signals reach it. */
  start(command: readonly string[], { user, cwd = '/', env = {}, writable }: Running = {}): ChildProcess {
    const bound = ['usr', 'bin', 'sbin', 'lib', 'lib32', 'lib64'].filter(
      (name) => existsSync(`/${name}`) && !lstatSync(`/${name}`).isSymbolicLink(),
    );
    const bind = (from: string, to: string) => `mount --bind '${from}' '${to}'`;
    const closed = writable
      ? [
          ...writable.map((folder) => bind(this.path(folder), this.path(folder))),
          `mount -o remount,ro,bind '${this.root}'`,
          ...bound.map((name) => `mount -o remount,ro,bind '${this.path(name)}'`),
          `mount -o remount,ro,bind '${this.path('usr/local')}'`,
        ]
      : [];
    const dropped = ['--clear-groups', '--no-new-privs', '--bounding-set=-all', '--inh-caps=-all'];
    const as = user === undefined ? '' : `setpriv --reuid=${user} --regid=${user} ${dropped.join(' ')}`;
    const script = [
      bind(this.root, this.root),
      ...bound.map((name) => bind(`/${name}`, this.path(name))),
      bind(this.path('local'), this.path('usr/local')),
      bind(process.execPath, this.path('usr/local/bin/node')),
      `mount --rbind /proc '${this.path('proc')}'`,
      `mount --rbind /dev '${this.path('dev')}'`,
      ...closed,
      `exec chroot '${this.root}' env -C '${cwd}' ${as} "$@"`,
    ].join(' && ');
    const variables = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...env };
    const child = spawn('unshare', ['--mount', '--propagation', 'private', '/bin/sh', '-c', script, 'sh', ...command], {
      env: variables,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  /** Ends what still runs, and removes all files. */
  async remove(): Promise<void> {
    for (const child of this.#children) {
      const over = once(child, 'exit');
      child.kill('SIGKILL');
      await over;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Waits for the one line of `parley serve --json`. @throws Error with its log, if it ends before */
export async function untilReady(child: ChildProcess): Promise<{ url: string; port: number; token: string | null }> {
  const log: string[] = [];
  child.stderr?.on('data', (chunk) => log.push(String(chunk)));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  return new Promise((resolve, reject) => {
    lines.once('line', (line) => resolve(JSON.parse(line)));
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${log.join('')}`)));
  });
}

/** Stops a server as its supervisor does. @returns its exit code */
export async function stop(child: ChildProcess): Promise<number | null> {
  const over = once(child, 'exit');
  child.kill('SIGTERM');
  return (await over)[0];
}
