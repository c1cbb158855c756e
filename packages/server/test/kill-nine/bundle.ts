import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'vite';

/** A change to the source of one file, so that a check can be seen to fail. */
export interface Mutation {
  /** The end of the file's path. */
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** A program in one file: it starts in a quarter of the time that loading its sources takes. */
export class Bundle {
  readonly file: string;
  readonly #folder: string;

  private constructor(folder: string, file: string) {
    this.#folder = folder;
    this.file = file;
  }

  /** @throws Error where a mutation finds no text to change: then it proves nothing */
  static async make(entry: string, mutations: readonly Mutation[] = []): Promise<Bundle> {
    const folder = await mkdtemp(join(root, 'node_modules/.parley-bundle-')); // beside what is not bundled
    const left = new Set(mutations);
    await build({
      root,
      configFile: false,
      logLevel: 'error',
      plugins: [mutate(left)],
      ssr: { noExternal: true, external: ['better-sqlite3'], resolve: { conditions: ['source'] } },
      build: {
        ssr: fileURLToPath(new URL(entry, import.meta.url)),
        outDir: folder,
        target: 'node20',
        rolldownOptions: { output: { entryFileNames: 'program.mjs' } },
      },
    });
    for (const { file, from } of left) throw new Error(`${file} has no text to mutate: ${from}`);
    return new Bundle(folder, join(folder, 'program.mjs'));
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}

/** Rewrites sources as they are loaded. */
function mutate(left: Set<Mutation>): Plugin {
  return {
    name: 'mutate',
    enforce: 'pre',
    transform(code, id) {
      let mutated = code;
      for (const mutation of left) {
        if (!id.endsWith(mutation.file) || !mutated.includes(mutation.from)) continue;
        mutated = mutated.replace(mutation.from, () => mutation.to);
        left.delete(mutation);
      }
      return mutated === code ? undefined : { code: mutated, map: null };
    },
  };
}
