import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const CONFIGURATION = ['.gitignore', 'biome.json', 'knip.json', 'tsconfig.base.json', 'tsconfig.check.json'];

/** Makes a small repository with this one's configuration, which is deleted after the test. */
export function makeRepository(files) {
  const root = mkdtempSync(join(tmpdir(), 'parley-gate-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const name of CONFIGURATION) cpSync(join(ROOT, name), join(root, name));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return root;
}
