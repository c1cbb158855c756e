import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const nobody = 65_534;
const megabyte = Buffer.alloc(1024 * 1024);

/** A small disk in memory that can be filled. Only processes in its namespace see it, and it ends with this process. */
export class SmallDisk {
  readonly #holder: ChildProcess;
  readonly #folder: string;

  private constructor(holder: ChildProcess, folder: string) {
    this.#holder = holder;
    this.#folder = folder;
  }

  /** Mounts a disk over a folder and copies its content. @returns undefined if this process may not mount */
  static async mount(folder: string, megabytes: number): Promise<SmallDisk | undefined> {
    const script = `
      mv "$0" "$0.below" && mkdir "$0" &&
      mount -t tmpfs -o size=${megabytes}m,mode=0700,uid=${nobody},gid=${nobody} tmpfs "$0" &&
      cp -a "$0.below/." "$0" && echo mounted && cat`;
    const holder = spawn('unshare', ['--mount', '/bin/sh', '-c', script, folder], {
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    holder.on('error', () => undefined); // `unshare` is not installed
    const said = await createInterface({ input: holder.stdout })[Symbol.asyncIterator]().next();
    return said.done ? undefined : new SmallDisk(holder, folder);
  }

  /** The prefix of a command that runs in the namespace of the disk. */
  get entering(): string[] {
    return ['nsenter', '--mount', `--target=${this.#holder.pid}`];
  }

  /** The same prefix, for a command that runs as `nobody`. */
  get enteringAsNobody(): string[] {
    const ids = ['--reuid', '--regid'].map((flag) => `${flag}=${nobody}`);
    return [...this.entering, 'setpriv', ...ids, '--clear-groups'];
  }

  /** Fills the disk. */
  fill(): void {
    const file = openSync(this.#filler, 'w');
    try {
      for (let size = megabyte.length; size >= 4096; )
        try {
          writeSync(file, megabyte, 0, size);
        } catch {
          size /= 4;
        }
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.#filler, { force: true });
  }

  remove(): void {
    this.#holder.stdin?.end();
  }

  get #filler(): string {
    return join(`/proc/${this.#holder.pid}/root`, this.#folder, 'filler');
  }
}
