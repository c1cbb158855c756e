import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../..', import.meta.url));
let folder: string;
/** The tarballs, by package. */
const tarballs = new Map<string, string>();

/** @returns the tarball's path, and the files in it */
async function pack(path: string): Promise<{ name: string; files: string[] }> {
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: path,
  });
  const [packed] = JSON.parse(stdout) as { name: string; filename: string; files: { path: string }[] }[];
  if (!packed) throw new Error(`npm pack made nothing of ${path}`);
  tarballs.set(packed.name, join(folder, packed.filename));
  return { name: packed.name, files: packed.files.map((file) => file.path) };
}

/** Installs tarballs alone: nothing of the repository, and nothing from a registry. */
async function install(project: string, ...names: string[]): Promise<void> {
  const files = names.map((name) => tarballs.get(name) ?? '');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files], { cwd: project });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-packages-'));
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const published = ['packages/cli', 'packages/client', 'packages/core', 'packages/server', 'packages/web'];

describe('[PLG12] packages', () => {
  test.each(published)('%s has what its manifest names, types and a README, and no test', async (path) => {
    const { files } = await pack(join(root, path));
    const manifest = JSON.parse(await readFile(join(root, path, 'package.json'), 'utf8'));
    const targets = (value: unknown): string[] =>
      typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(targets);
    for (const target of [...targets(manifest.exports), ...targets(manifest.bin)]) {
      expect(files).toContain(target.replace('./', ''));
    }
    expect(files).toContain('README.md');
    expect(files.filter((file) => /\.test\.|(^|\/)test\//.test(file))).toEqual([]);
  });

  test('core and client install in an empty project and work there, typed', async () => {
    for (const name of ['zod', 'eventsource-parser']) await pack(join(root, 'node_modules', name));
    const project = join(folder, 'empty');
    await mkdir(project);
    await writeFile(join(project, 'package.json'), '{"type": "module"}');
    await install(project, '@parleyhq/core', '@parleyhq/client', 'zod', 'eventsource-parser');
    await writeFile(join(project, 'use.ts'), use);
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    const compiled = run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc')], { cwd: project });
    expect(await compiled.catch(({ stdout: told }) => told)).toMatchObject({ stdout: '' });
    const { stdout } = await run(process.execPath, ['out/use.js'], { cwd: project });
    expect(stdout).toBe('{"result":3} function\n');
  });
});

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  types: [],
  strict: true,
  outDir: 'out',
};

/** As somebody writes who has the packages alone. */
const use = `import { defineTool } from '@parleyhq/core';
import { playTool, submit } from '@parleyhq/core/testing';
import { ParleyClient } from '@parleyhq/client';
import * as z from 'zod';

const tool = defineTool({
  name: 'add',
  description: 'Adds.',
  parameters: { to: z.number() },
  async handler({ to }, ctx) {
    const { number } = await ctx.ask('n', z.object({ number: z.number() }));
    return to + number;
  },
});
const play = playTool(tool, { args: { to: 1 }, human: [submit({ number: 2 })] });
console.log(JSON.stringify(await play.end()), typeof ParleyClient);
`;

test('[PLG12] a plugin of parley new installs, passes its test, and loads', async () => {
  const project = join(folder, 'release-notes');
  expect((await runParley('new', project)).code).toBe(0);
  await install(project, '@parleyhq/core', 'zod');
  const { stdout } = await run('npm', ['test'], { cwd: project });
  expect(stdout).toContain('# pass 2');
  const told = await runParley('check', join(project, 'plugin.mjs'));
  expect([told.code, told.stderr]).toEqual([0, '']);
  expect(dirname(project)).toBe(folder);
});
