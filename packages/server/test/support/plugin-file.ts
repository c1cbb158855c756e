import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Makes an empty folder that is removed when the process ends. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  folders.push(folder);
  return folder;
}

/** Writes a plugin's source to a file that is removed when the process ends. */
export function pluginOf(source: string, name = 'plugin.mjs'): string {
  const file = join(makeFolder(), name);
  writeFileSync(file, source);
  return file;
}
