import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';

const root = new URL('../../../../', import.meta.url);

/** Returns the path of a file of the repository. */
export const pathOf = (name: string): string => fileURLToPath(new URL(name, root));

/** Reads a file of docs/examples/deploy, with names, ports and paths of a test in place of its own. Each of them must be there. */
export function adapt(name: string, changes: Readonly<Record<string, string>> = {}): string {
  const text = readFileSync(pathOf(`docs/examples/deploy/${name}`), 'utf8');
  return Object.entries(changes).reduce((adapted, [from, to]) => {
    expect(text, `${name} should have "${from}"`).toContain(from);
    return adapted.replaceAll(from, to);
  }, text);
}
