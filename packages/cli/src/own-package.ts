import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The folder of the command's code: `src`, or `dist` once it is bundled. */
export const ownFolder = fileURLToPath(new URL('.', import.meta.url));

/** This release's version, from its package.json. */
export function readVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
