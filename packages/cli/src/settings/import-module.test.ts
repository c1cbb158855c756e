import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { importModule, resolveModule } from './import-module.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-import-'));
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ['a.mjs', 'export default { name: "found" };'],
  ['b.cjs', 'module.exports = { name: "found" };'],
  ['c.cjs', 'Object.defineProperty(exports, "__esModule", { value: true }); exports.default = { name: "found" };'],
  ['d.ts', 'interface Named { name: string } export default { name: "found" } satisfies Named;'],
  ['e.json', '{"name":"found"}'],
])('[PLG1] the default export of %s', async (name, text) => {
  await writeFile(join(folder, name), text);
  expect(await importModule(resolveModule(`./${name}`, folder))).toEqual({ name: 'found' });
});

test('[PLG4] a module without a default export gives undefined', async () => {
  await writeFile(join(folder, 'none.mjs'), 'export const name = "hidden";');
  expect(await importModule(join(folder, 'none.mjs'))).toBeUndefined();
});

test('[PLG4] a name resolves to a file in the folder, or a package visible from it', async () => {
  const home = join(folder, 'node_modules', 'some-plugin');
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'package.json'), JSON.stringify({ name: 'some-plugin', main: 'main.cjs' }));
  await writeFile(join(home, 'main.cjs'), 'module.exports = 1;');
  expect(resolveModule('some-plugin', folder)).toBe(join(home, 'main.cjs'));
  expect(() => resolveModule('./missing.mjs', folder)).toThrow(join(folder, 'missing.mjs'));
  expect(() => resolveModule('no-such-package', folder)).toThrow(/no-such-package/);
});

test('[PLG4] a package that only `import` may load is named as such', async () => {
  const home = join(folder, 'node_modules', 'import-only');
  await mkdir(home, { recursive: true });
  const exports = { '.': { import: './main.mjs' } };
  await writeFile(join(home, 'package.json'), JSON.stringify({ name: 'import-only', exports }));
  await writeFile(join(home, 'main.mjs'), 'export default 1;');
  expect(() => resolveModule('import-only', folder)).toThrow(/^the package "import-only" .* condition "default"/);
});
