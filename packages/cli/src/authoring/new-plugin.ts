import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ExitError } from '@parleyhq/core';
import { findParleyPackages } from './parley-packages.ts';
import type { Names } from './plugin-readme.ts';
import { makePluginFiles } from './plugin-template.ts';

/** Writes a plugin whose test passes. @throws ExitError if the folder is not empty, or its name is not a plugin name */
export async function writePlugin(folder: string): Promise<void> {
  const path = resolve(folder);
  const names = nameAfter(basename(path));
  await mkdir(path, { recursive: true });
  if ((await readdir(path)).length > 0) throw new ExitError(1, `${path} is not empty: nothing was written.`);
  const parley = await findParleyPackages(path);
  for (const [name, text] of Object.entries(makePluginFiles(names, parley))) {
    const file = join(path, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  process.stdout.write(`A plugin with a tool, a view and a test is in ${path}. In that folder:
  npm install && npm test
  parley check ./plugin.ts
  parley serve --watch --plugin ./plugin.ts
README.md says how to publish it as the package ${names.package}.
`);
}

const prefix = 'parley-plugin-';

/** Names a plugin after its folder, which may have the name of the package. @throws ExitError if that is not a plugin name */
function nameAfter(folder: string): Names {
  const plugin = folder.startsWith(prefix) ? folder.slice(prefix.length) : folder;
  if (/^[a-z][a-z0-9-]{0,63}$/.test(plugin)) return { plugin, package: prefix + plugin };
  throw new ExitError(
    2,
    `"${plugin}" is not a plugin name: a lower-case letter, then lower-case letters, digits and "-", at most 64.`,
  );
}
