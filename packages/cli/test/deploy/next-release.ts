import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, type Plugin } from 'vite';
import { expect } from 'vitest';
import { pathOf } from './example.ts';

export const nextVersion = '99.0.0';

/** Adds a migration at the end of each list. */
function addMigrations(changed: string[]): Plugin {
  return {
    name: 'add-migrations',
    enforce: 'pre',
    transform(code, id) {
      if (!id.endsWith('/migrations/index.ts')) return undefined;
      changed.push(id);
      return { code: code.replace(/,?\s*\];\s*$/, `, 'create table of_the_next_release (a text);'];\n`), map: null };
    },
  };
}

/**
 * Builds the command as a release to come: this one with another version and one more migration of each kind of database.
 * @param folder - the new folder of the package `parleyd`, below the checkout, so that its dependencies are found
 * @returns the script of the command
 */
export async function buildNextRelease(folder: string): Promise<string> {
  const changed: string[] = [];
  mkdirSync(folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(pathOf('packages/cli/package.json'), 'utf8'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: nextVersion }));
  const outDir = join(folder, 'dist');
  await build({
    root: pathOf('packages/cli'),
    configFile: pathOf('packages/cli/vite.config.ts'),
    logLevel: 'error',
    plugins: [addMigrations(changed)],
    build: { outDir, emptyOutDir: true },
  });
  expect(changed).toHaveLength(2);
  return join(outDir, 'main.js');
}
