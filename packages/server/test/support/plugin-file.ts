import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A plugin's source as a file, as an author would have it. */
export async function pluginOf(source: string, name = 'plugin.mjs'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-plugin-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, name);
  await writeFile(file, source);
  return file;
}
