import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';

export const run = promisify(execFile);
export const root = fileURLToPath(new URL('../../../..', import.meta.url));

/** The published packages: each folder with a manifest. */
export const published: readonly string[] = (
  await Promise.all(
    ['packages', 'plugins'].map(async (kind) => (await readdir(join(root, kind))).map((name) => `${kind}/${name}`)),
  )
).flat();

/** What the author of a plugin installs. */
export const kit = ['packages/core', 'packages/runtime', 'packages/testkit'];

export interface Packed {
  readonly file: string;
  readonly size: number;
  readonly contents: readonly string[];
}

/** Packs every package with `npm pack`, and creates projects outside of the repository that install them. */
export class Tarballs {
  readonly #packed = new Map<string, Packed>();
  #folder: string | undefined;

  get folder(): string {
    if (this.#folder === undefined) throw new Error('nothing was packed yet');
    return this.#folder;
  }

  async make(): Promise<void> {
    this.#folder = await mkdtemp(join(tmpdir(), 'parley-packages-'));
    for (const path of published) await this.#pack(path);
  }

  async #pack(path: string): Promise<void> {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', this.folder];
    const { stdout } = await run('npm', args, { cwd: join(root, path) });
    const [made] = JSON.parse(stdout) as { filename: string; size: number; files: { path: string }[] }[];
    if (!made) throw new Error(`npm pack made nothing of ${path}`);
    const contents = made.files.map((file) => file.path);
    this.#packed.set(path, { file: join(this.folder, made.filename), size: made.size, contents });
  }

  of(path: string): Packed {
    const packed = this.#packed.get(path);
    if (!packed) throw new Error(`${path} was not packed`);
    return packed;
  }

  /** Creates a project with these files. @returns its folder */
  async project(name: string, files: Record<string, string> = {}): Promise<string> {
    const project = join(this.folder, name);
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{"type": "module", "private": true}');
    for (const [file, text] of Object.entries(files)) await writeFile(join(project, file), text);
    return project;
  }

  /** Installs packages. @param packages - paths of ours, and `name@version` of others */
  async install(project: string, ...packages: string[]): Promise<void> {
    const wanted = packages.map((name) => this.#packed.get(name)?.file ?? name);
    await run('npm', ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', ...wanted], {
      cwd: project,
    });
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Packs the packages for the tests of a file, and deletes them afterwards. */
export function useTarballs(): Tarballs {
  const tarballs = new Tarballs();
  beforeAll(() => tarballs.make(), 600_000);
  afterAll(() => tarballs.remove());
  return tarballs;
}

/** Compiles a project. @throws Error with the compiler's output */
export async function compile(project: string, more: object): Promise<void> {
  const compilerOptions = { target: 'es2023', strict: true, noEmit: true, ...more };
  await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['use.mts'] }));
  await run(process.execPath, [tsc, '-p', project]).catch(({ stdout }) => Promise.reject(new Error(stdout)));
}

const tsc = join(root, 'node_modules/typescript/bin/tsc');
