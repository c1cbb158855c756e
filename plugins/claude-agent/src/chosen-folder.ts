import { mkdir, readFile, realpath, rename, stat, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { ToolError } from '@parleyhq/core';
import { isGuarded } from './edit-zone.ts';

/** The tool that asks for the folder. */
export const chooseFolderName = 'ChooseFolder';

const fileName = 'folder';

/**
 * The folder that somebody chose for a session; undefined if nobody has.
 * @throws ToolError `folder_refused` if it no longer exists or is no longer allowed
 */
export async function readFolder(sessionFolder: string, roots: readonly string[]): Promise<string | undefined> {
  const chosen = await readFile(join(sessionFolder, fileName), 'utf8').catch(() => undefined);
  if (chosen === undefined) return undefined;
  for (const root of roots) if ((await findFolder(root, chosen)) === chosen) return chosen;
  throw new ToolError(
    'folder_refused',
    `The folder of this session, ${chosen}, no longer exists or is no longer allowed.`,
  );
}

/** Stores the choice. It is deleted with the session. */
export async function keepFolder(sessionFolder: string, chosen: string): Promise<void> {
  await mkdir(sessionFolder, { recursive: true, mode: 0o700 });
  const draft = join(sessionFolder, `${fileName}.new`);
  await writeFile(draft, chosen, { mode: 0o600 });
  await rename(draft, join(sessionFolder, fileName));
}

/**
 * Returns the real path of a folder at or below a root, links followed. Undefined if it is not a folder, lies elsewhere, or is at
 * or below a folder whose files become commands or rules: mode `acceptEdits` would then cover those files.
 */
export async function findFolder(root: string, path: string): Promise<string | undefined> {
  const [zone, real] = await Promise.all([toReal(root), toReal(resolve(root, path))]);
  if (zone === undefined || real === undefined) return undefined;
  const inside = relative(zone, real);
  const isOutside = inside === '..' || inside.startsWith(`..${sep}`);
  return isOutside || isGuarded(inside) ? undefined : real;
}

async function toReal(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined; // missing or not accessible
  }
}
