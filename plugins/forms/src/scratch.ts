import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const demoFiles = ['notes.txt', 'draft.md', 'report.csv', 'old-backup.zip', 'todo.txt'];

/** A folder of demo files that may be lost. */
export class Scratch {
  #folder: string | undefined;

  /** Makes the folder, and again the demo files that were deleted. */
  async fill(dataDir: string): Promise<void> {
    this.#folder = join(dataDir, 'scratch');
    await mkdir(this.#folder, { recursive: true });
    await Promise.all(demoFiles.map((name) => this.#create(name)));
  }

  /** Deletes files by name; those that were gone already are no failure, and are told apart. */
  async remove(names: readonly string[]): Promise<{ deleted: readonly string[]; missing: readonly string[] }> {
    const missing: string[] = [];
    for (const name of names) {
      if (!(await isThere(this.#pathOf(name)))) missing.push(name);
      await rm(this.#pathOf(name), { force: true });
    }
    return { deleted: names, missing };
  }

  async #create(name: string): Promise<void> {
    if (!(await isThere(this.#pathOf(name)))) await writeFile(this.#pathOf(name), `${name}: a demo file.\n`);
  }

  #pathOf(name: string): string {
    if (this.#folder === undefined) throw new Error('The scratch folder is not set up yet.'); // never the working directory
    return join(this.#folder, name);
  }
}

/** A plain name: no folder, no drive, no way up, nothing hidden or unprintable. */
export function isFileName(name: string): boolean {
  return /^[\p{L}\p{N}_][\p{L}\p{N} ._-]{0,99}$/u.test(name);
}

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
