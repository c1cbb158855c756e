import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Finds the files below a folder whose bytes contain a text. */
export async function filesWith(folder: string, text: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = await Promise.all(files.map(async (file) => ({ file, content: await readFile(file) })));
  return contents.filter(({ content }) => content.includes(text)).map(({ file }) => file);
}
