import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';
import { pluginOf } from '../../server/test/support/plugin-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'parley-authoring-'));
afterAll(() => rm(folder, { recursive: true }));

const tool = (members: string) =>
  `{ name: 'wipe', description: 'Wipes.', parameters: {}, handler: () => 1, ${members} }`;
const source = (members: string, more = '') => `export default { name: 'p', tools: [${tool(members)}], ${more} };`;

describe('[PLG12] parley check', () => {
  test('[PLG15] lists the tools of a plugin, as agents see them, and its commands', async () => {
    const file = pluginOf(source('', "commands: [{ name: 'scrub', summary: 'Wipes everything.', run() {} }]"));
    expect(await runParley('check', file)).toEqual({
      code: 0,
      stdout: 'Plugin "p" loads.\n  wipe: Wipes.\n  parley scrub: Wipes everything.\n',
      stderr: '',
    });
    const { stdout } = await runParley('check', file, '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      name: 'p',
      tools: [{ name: 'wipe', parameters: { type: 'object' } }],
      commands: [{ name: 'scrub', summary: 'Wipes everything.' }],
    });
  });

  test.each([
    ['a typo', source("aproval: 'always'"), 1, 'Did you mean "approval"?'],
    [
      'properties beside the keywords',
      source('', "configSchema: { limit: { type: 'number' } }"),
      1,
      '"limit" is not a keyword',
    ],
    ['a syntax error', 'export default {', 1, 'Unexpected end of input'],
    [
      'a tool of a plugin that ships',
      'export default { name: "p", tools: [{ name: "ask_user", description: "Asks.", parameters: {}, handler() {} }] };',
      1,
      'plugin "ask-user" both have a tool "ask_user"',
    ],
    ['no default export', 'export const a = 1;', 1, 'it has no default export'],
    ['no tools', 'export default { name: "p" };', 1, 'tools: must be a list of tools, "tools: []" if it has none'],
  ])('reports what is wrong: %s', async (_, text, code, words) => {
    const told = await runParley('check', pluginOf(text));
    expect([told.code, told.stdout]).toEqual([code, '']);
    expect(told.stderr).toContain(words);
  });

  test('a missing file is wrong usage', async () => {
    expect(await runParley('check', './nowhere.mjs')).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('[PLG12] parley new', () => {
  test('writes a plugin with a view, a test, a manifest, instructions, and the packages of this checkout', async () => {
    const { code, stdout } = await runParley('new', join(folder, 'release-notes'));
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/In that folder:\n +npm install && npm test\n +parley check \.\/plugin\.ts\n/),
    ]);
    const files = await readdir(join(folder, 'release-notes'), { recursive: true, withFileTypes: true });
    expect(files.flatMap((file) => (file.isFile() ? [file.name] : [])).sort()).toEqual([
      '.gitignore',
      'README.md',
      'greetings.html',
      'package.json',
      'parleyhq-core-0.1.0.tgz',
      'parleyhq-runtime-0.1.0.tgz',
      'parleyhq-testkit-0.1.0.tgz',
      'plugin.test.ts',
      'plugin.ts',
      'tsconfig.build.json',
      'tsconfig.json',
    ]);
  });

  test('the folder may have the name of the package, and what is published names no file of the folder', async () => {
    expect(await runParley('new', join(folder, 'parley-plugin-notes'))).toMatchObject({ code: 0 });
    const read = (file: string) => readFile(join(folder, 'parley-plugin-notes', file), 'utf8');
    expect(await read('plugin.ts')).toContain("name: 'notes',");
    const { name, dependencies, peerDependencies, devDependencies } = JSON.parse(await read('package.json'));
    expect([name, dependencies, peerDependencies]).toEqual([
      'parley-plugin-notes',
      { zod: '^4.2.0' },
      { '@parleyhq/core': '^0.1.0' },
    ]);
    expect(devDependencies['@parleyhq/core']).toBe('file:parleyhq-core-0.1.0.tgz');
    expect(await read('README.md')).toContain('so commit them');
    expect(await read('README.md')).toContain(
      'npm install ./parley-plugin-notes-0.1.0.tgz ./parleyhq-core-0.1.0.tgz\n',
    );
    expect(await read('.gitignore')).toBe('node_modules/\ndist/\n.parley/\n/parley-plugin-notes-*.tgz\n');
  });

  test('writes nothing into a folder that has files, or whose name is not a plugin name', async () => {
    await mkdir(join(folder, 'full'));
    await writeFile(join(folder, 'full', 'mine.txt'), '');
    expect(await runParley('new', join(folder, 'full'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('not empty'),
    });
    expect(await readdir(join(folder, 'full'))).toEqual(['mine.txt']);
    expect(await runParley('new', join(folder, 'Full Name'))).toMatchObject({ code: 2 });
    expect(await runParley('new', join(folder, 'parley-plugin-'))).toMatchObject({ code: 2 });
  });
});
