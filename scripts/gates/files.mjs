import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git', '.parley']);

/** Lists the files under `root`, relative to it, with forward slashes. */
export function listFiles(root, folder = root) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !SKIPPED.has(entry.name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? listFiles(root, path) : [relative(root, path).split(sep).join('/')];
    })
    .sort();
}

export const listSources = (root) =>
  listFiles(root).filter((file) => /\.(ts|mjs)$/.test(file) && !file.endsWith('.d.ts'));

/** Whether a file is a test, a test helper or a benchmark, and so not product code. */
export const isTest = (file) => /\.test\.(ts|mjs)$|(^|\/)(test|testing|bench)\//.test(file);
