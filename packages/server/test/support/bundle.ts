import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin, type Rolldown } from 'vite';

/** A fault inserted into the source, so that a test can be shown to find it. */
export interface Mutation {
  /** The source marks the lines to change with a trailing comment: `// mutant: <marker>`. */
  readonly marker: string;
  /** Replacement for the marked lines, or a function that rewrites each; '' deletes the lines. */
  readonly replacement: string | ((line: string) => string);
}

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Runs program.cjs with the compiled code that the first run stores when it ends. */
const starter = `const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { createRequire, wrap } = require('node:module');
const { Script } = require('node:vm');
const filename = __dirname + '/program.cjs';
const code = __dirname + '/compiled';
const cachedData = existsSync(code) ? readFileSync(code) : undefined;
const script = new Script(wrap(readFileSync(filename, 'utf8')), { filename, cachedData });
if (!cachedData) process.on('exit', () => writeFileSync(code, script.createCachedData()));
script.runInThisContext()({}, createRequire(filename), module, filename, __dirname);
`;

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
    const folder = await buildInto({ entryFileNames: 'program.mjs' }, entry, mutation);
    return new Bundle(folder, join(folder, 'program.mjs'));
  }

  /**
   * Makes a program that starts hundreds of times, each in two thirds of the time, because V8 need not compile it again. Its
   * modules await nothing at their top level, and without arguments it ends at once.
   */
  static async makeCompiled(entry: URL, mutation?: Mutation): Promise<Bundle> {
    const output = { format: 'cjs', codeSplitting: false, entryFileNames: 'program.cjs' } as const;
    const folder = await buildInto(output, entry, mutation);
    const file = join(folder, 'start.cjs');
    await writeFile(file, starter);
    await new Promise((resolve) => execFile(process.execPath, [file], resolve));
    return new Bundle(folder, file);
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true });
  }
}

/** @returns the folder with the program */
async function buildInto(output: Rolldown.OutputOptions, entry: URL, mutation: Mutation | undefined): Promise<string> {
  const folder = await mkdtemp(join(root, 'node_modules/.parley-bundle-')); // so that externals resolve
  const mutator = mutation && new Mutator(mutation);
  await build({
    root,
    configFile: false,
    logLevel: 'error',
    plugins: mutator ? [mutator.plugin] : [],
    ssr: { noExternal: true, external: ['better-sqlite3'], resolve: { conditions: ['source'] } },
    build: { ssr: fileURLToPath(entry), outDir: folder, target: 'node20', rolldownOptions: { output } },
  });
  if (mutator?.count === 0) throw new Error(`no line of the source is marked "// mutant: ${mutation?.marker}"`);
  return folder;
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
