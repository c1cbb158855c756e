import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { ExitError } from '@parleyhq/core';
import { ownFolder, readVersion } from '../own-package.ts';
import { makePluginFiles } from './plugin-template.ts';

/** Writes a plugin whose test passes. @throws ExitError if the folder is not empty, or its name is not a plugin name */
export async function writePlugin(folder: string): Promise<void> {
  const path = resolve(folder);
  const name = basename(path);
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name)) {
    throw new ExitError(
      2,
      `"${name}" is not a plugin name: a lower-case letter, then lower-case letters, digits and "-", at most 64.`,
    );
  }
  await mkdir(path, { recursive: true });
  if ((await readdir(path)).length > 0) throw new ExitError(1, `${path} is not empty: nothing was written.`);
  const install = findInstall();
  for (const [file, text] of Object.entries(makePluginFiles(name, readVersion(), install)))
    await writeFile(join(path, file), text);
  process.stdout.write(`A plugin with a tool, a view and a test is in ${path}. In that folder:
  ${install} && npm test
  parley check ./plugin.ts
  parley serve --watch --plugin ./plugin.ts
`);
}

/** The command that installs dependencies. In a checkout it packs those of Parley from there. */
function findInstall(): string {
  const packages = join(ownFolder, '../..');
  if (packages.includes('node_modules')) return 'npm install';
  const folders = ['core', 'runtime', 'testkit'].map((name) => `"${join(packages, name)}"`);
  return `npm install $(npm pack --silent ${folders.join(' ')})`;
}
