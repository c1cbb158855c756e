import { statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defaultDurations, limitTime } from '@parleyhq/server';
import { decodeText } from '../io/plain-text.ts';

/** Resolves a path relative to `cwd`, or a package visible from `cwd`, to a file. @throws Error if there is neither */
export function resolveModule(specifier: string, cwd: string): string {
  const path = resolve(cwd, specifier);
  const isPath = /^[./]/.test(specifier);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found?.isFile()) return path;
  if (found && isPath) throw new Error(`${path} is a folder: name the file in it`);
  if (isPath) throw new Error(`there is no file ${path}`);
  try {
    return requireFrom(cwd).resolve(specifier);
  } catch (cause) {
    const words =
      (cause as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
        ? `the package "${specifier}" must name its module in "exports" under the condition "default"`
        : `there is no file ${path}, and no package "${specifier}" visible from ${cwd}`;
    throw new Error(words, { cause });
  }
}

/** Finds the file of a package that is visible from the folder; undefined if there is none. */
export function findPackage(specifier: string, folder: string): string | undefined {
  try {
    const file = requireFrom(folder).resolve(specifier);
    return isAbsolute(file) ? file : undefined; // Node's own modules have no file
  } catch {
    return undefined;
  }
}

/** Resolves by the condition `require`, which `default` includes: `import.meta.resolve` knows only this file's folder. */
const requireFrom = (folder: string) => createRequire(resolve(folder, 'package.json'));

/**
 * Imports the default export of a JavaScript module, JSON, or TypeScript without a build.
 * @throws what the module throws, or Error if loading takes longer than `limitMs`
 */
export async function importModule(file: string, limitMs = defaultDurations.setupTimeoutMs): Promise<unknown> {
  if (file.endsWith('.json')) return JSON.parse(decodeText(await readFile(file), 'it'));
  const url = pathToFileURL(file).href;
  const load = (): Promise<unknown> => (/\.[cm]?ts$/.test(file) ? importTypeScript(url) : import(url));
  return unwrapDefault(await limitTime(limitMs, load, notLoaded));
}

const notLoaded = (ms: number) => new Error(`it was not loaded within ${ms} ms`);

/** Loads the compiler only if there is a TypeScript file. */
async function importTypeScript(url: string): Promise<unknown> {
  const { tsImport } = await import('tsx/esm/api');
  return tsImport(url, import.meta.url);
}

/** Returns the default export. A CommonJS module compiled from ESM has it nested once more. */
function unwrapDefault(module: unknown): unknown {
  if (typeof module !== 'object' || module === null || !('default' in module)) return undefined;
  const value = module.default;
  const isWrapped = typeof value === 'object' && value !== null && '__esModule' in value && 'default' in value;
  return isWrapped ? value.default : value;
}
