import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

/** A fault inserted into the source, so that a test can be shown to find it. */
export interface Mutation {
  /** The source marks the lines to change with a trailing comment: `// mutant: <marker>`. */
  readonly marker: string;
  /** Replacement for the marked lines, or a function that rewrites each; '' deletes the lines. */
  readonly replacement: string | ((line: string) => string);
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** A program in one file, which starts in a quarter of the time that loading its sources takes. */
export class Bundle {
  readonly file: string;
  readonly #folder: string;

  private constructor(folder: string, file: string) {
    this.#folder = folder;
    this.file = file;
  }

  /** @throws Error if no line has the mutation's marker, or the mutation leaves a marked line as it was */
  static async make(entry: URL, mutation?: Mutation): Promise<Bundle> {
    const folder = await mkdtemp(join(root, 'node_modules/.parley-bundle-')); // so that externals resolve
    const mutator = mutation && new Mutator(mutation);
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      plugins: mutator ? [mutator.plugin] : [],
      ssr: { noExternal: true, external: ['better-sqlite3'], resolve: { conditions: ['source'] } },
      build: {
        ssr: fileURLToPath(entry),
        outDir: folder,
        target: 'node20',
        rolldownOptions: { output: { entryFileNames: 'program.mjs' } },
      },
    });
    if (mutator?.count === 0) throw new Error(`no line of the source is marked "// mutant: ${mutation?.marker}"`);
    return new Bundle(folder, join(folder, 'program.mjs'));
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}

/** Rewrites the marked lines of sources as they are loaded. */
class Mutator {
  readonly plugin: Plugin = {
    name: 'mutate',
    enforce: 'pre',
    transform: (code) => (code.includes(this.#mark) ? { code: this.#mutate(code), map: null } : undefined),
  };
  readonly #mutation: Mutation;
  readonly #mark: string;
  /** Number of lines that it has changed. */
  count = 0;

  constructor(mutation: Mutation) {
    this.#mutation = mutation;
    this.#mark = `// mutant: ${mutation.marker}\n`;
  }

  #mutate(code: string): string {
    const lines = code.split(/(?<=\n)/);
    return lines.map((line) => (line.endsWith(this.#mark) ? this.#replace(line) : line)).join('');
  }

  #replace(line: string): string {
    const { replacement, marker } = this.#mutation;
    const mutated = typeof replacement === 'string' ? `${replacement}\n` : replacement(line);
    if (mutated === line) throw new Error(`the mutation "${marker}" changes nothing in: ${line}`);
    this.count += 1;
    return mutated;
  }
}
