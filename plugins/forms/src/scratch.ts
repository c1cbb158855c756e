import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const demoFiles = ['notes.txt', 'draft.md', 'report.csv', 'old-backup.zip', 'todo.txt'];

/** A folder of demo files that are safe to delete. */
export class Scratch {
  #folder: string | undefined;

  /** Creates the folder and any missing demo files. */
  async fill(dataDir: string): Promise<void> {
    this.#folder = join(dataDir, 'scratch');
    await mkdir(this.#folder, { recursive: true });
    await Promise.all(demoFiles.map((name) => this.#create(name)));
  }

  /** Deletes files by name. Files that do not exist are returned as `missing`. */
  async remove(names: readonly string[]): Promise<{ deleted: readonly string[]; missing: readonly string[] }> {
    const deleted: string[] = [];
    const missing: string[] = [];
    for (const name of names) {
      const isThere = await exists(this.#pathOf(name));
      if (isThere) await rm(this.#pathOf(name), { force: true });
      (isThere ? deleted : missing).push(name);
    }
    return { deleted, missing };
  }

  async #create(name: string): Promise<void> {
    if (!(await exists(this.#pathOf(name)))) await writeFile(this.#pathOf(name), `${name}: a demo file.\n`);
  }

  #pathOf(name: string): string {
    if (this.#folder === undefined) throw new Error('The scratch folder is not set up yet.'); // must never fall back to the working directory
    return join(this.#folder, name);
  }
}

/** Whether the text is a plain file name: no path, no drive, no dot file, no control characters. */
export function isFileName(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,99}$/u.test(name);
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
