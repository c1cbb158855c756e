// A gate that cannot fail guards nothing: each has to refuse a repository made to break it, and to let a sound one pass.
import { describe, expect, test } from 'vitest';
import { makeRepository } from './fixture.mjs';
import { checkLayers } from './layers.mjs';
import { checkSize } from './size.mjs';
import { checkDeadCode, checkStyle, checkTypes } from './tools.mjs';
import { checkVersions } from './versions.mjs';

const CORE = 'packages/core/src/index.ts';
const lines = (count) => 'export {};\n'.repeat(count);
const report = async (problems) => (await problems).join('\n');
const check = (gate, files) => report(gate(makeRepository(files)));

describe('size', () => {
  test('refuses a file above 400 lines and takes one of 400', () => {
    const small = { 'packages/core/src/a.ts': '', 'packages/core/src/b.ts': '' };
    const root = makeRepository({ ...small, [CORE]: lines(400), 'packages/core/src/core.test.ts': lines(401) });
    expect(checkSize(root)).toEqual(['packages/core/src/core.test.ts has 401 lines, above 400']);
  });

  test('refuses a median above 110, tests aside', () => {
    const root = makeRepository({ [CORE]: lines(111), 'packages/core/src/core.test.ts': '' });
    expect(checkSize(root)).toEqual(['the median source file has 111 lines, above 110']);
  });
});

describe('versions', () => {
  const manifests = (core, server) => ({
    'packages/core/package.json': { name: 'core', version: '1.0.0', dependencies: core },
    'packages/server/package.json': { name: 'server', version: '1.0.0', dependencies: server },
  });

  test('refuses a range', () => {
    const root = makeRepository(manifests({ zod: '^4.6.7' }, {}));
    expect(checkVersions(root).join()).toContain('zod is ^4.6.7 in packages/core/package.json');
  });

  test('refuses two versions of one dependency', () => {
    const root = makeRepository(manifests({ zod: '4.6.7' }, { zod: '4.6.6' }));
    expect(checkVersions(root).join()).toContain('zod is 4.6.6 in packages/server/package.json but 4.6.7');
  });

  test('refuses workspaces that are not in step', () => {
    const root = makeRepository(manifests({}, { core: '1.0.1' }));
    expect(checkVersions(root).join()).toContain('a workspace is 1.0.1 in packages/server/package.json but 1.0.0');
  });

  test("refuses a lock file that holds an address or only some platforms' binaries", () => {
    const packages = {
      'node_modules/a': {
        resolved: 'https://registry.example/a.tgz',
        optionalDependencies: { 'a-linux': '1.0.0', 'a-mac': '1.0.0' },
      },
      'node_modules/a-linux': {},
    };
    expect(checkVersions(makeRepository({ 'package-lock.json': { packages } }))).toEqual([
      'package-lock.json tells where node_modules/a came from',
      'package-lock.json lacks a-mac, an option of node_modules/a',
    ]);
  });

  test('takes one exact version everywhere', () => {
    expect(checkVersions(makeRepository(manifests({ zod: '4.6.7' }, { zod: '4.6.7', core: '1.0.0' })))).toEqual([]);
  });
});

describe('layers', () => {
  test.each([
    ['core → server', CORE, "import '@parleyhq/server';"],
    ['core → client, by path', CORE, "export * from '../../client/src/index.ts';"],
    ['web → server', 'packages/web/src/app.ts', "import { x } from '@parleyhq/server/testing';"],
    ['web → server, lazily', 'packages/web/src/app.ts', "await import('@parleyhq/server');"],
    ['server → a plugin', 'packages/server/src/index.ts', "import '@parleyhq/plugin-shell';"],
    ['a plugin → server', 'plugins/shell/src/index.ts', "import type { x } from '@parleyhq/server';"],
    ['a plugin → a plugin', 'plugins/shell/src/index.ts', "import '@parleyhq/plugin-forms';"],
    ['client → ws', 'packages/client/src/index.ts', "import { WebSocket } from 'ws';"],
    ['core → the clock', CORE, 'export const now = () => Date.now();'],
    ['core → chance', CORE, 'export const id = Math.random();'],
  ])('refuses %s', (_, file, text) => {
    const problems = checkLayers(makeRepository({ [file]: text }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(file);
  });

  test('refuses an SDK in two files, tests aside', () => {
    const ws = "import { WebSocketServer } from 'ws';";
    const server = (...names) =>
      makeRepository(Object.fromEntries(names.map((name) => [`packages/server/src/${name}`, ws])));
    expect(checkLayers(server('a.ts', 'b.ts')).join()).toContain('ws is imported by');
    expect(checkLayers(server('a.ts', 'b.test.ts', 'testing/c.ts'))).toEqual([]);
  });

  test('takes what the layers allow, and comments', () => {
    const root = makeRepository({
      'packages/web/src/app.ts': "import '@parleyhq/client';\nimport '@parleyhq/core';",
      'packages/cli/src/main.ts': "import '@parleyhq/server';\nimport '@parleyhq/plugin-shell';",
      'plugins/shell/src/index.ts': "import '@parleyhq/core';\nexport const now = Date.now();",
      [CORE]: "// import '@parleyhq/server'; Date.now()\n/** Not Date.now(). */\nimport './session.ts';",
    });
    expect(checkLayers(root)).toEqual([]);
  });
});

describe('style', { timeout: 60_000 }, () => {
  test.each([
    ['what is not formatted', 'lib/a.ts', 'export const a = "b"\n', 'formatting'],
    ['a Node module in core', CORE, "import 'node:fs';\n", 'noNodejsModules'],
    ['an undeclared dependency', 'packages/web/src/app.ts', "import '@parleyhq/server';\n", 'noUndeclaredDependencies'],
    ['a cycle', CORE, "export * from './cycle.ts';\n", 'noImportCycles'],
    ['any', CORE, 'export type A = any;\n', 'noExplicitAny'],
    ['a default export', CORE, 'export default 1;\n', 'noDefaultExport'],
    ['401 lines', CORE, 'export const a = 1;\n'.repeat(401), 'noExcessiveLinesPerFile'],
    ['a floating promise', CORE, 'export async function a() {}\nexport const b = () => {\n  a();\n};\n', 'Promise'],
    ['a focused test', 'packages/core/src/a.test.ts', "test.only('a', () => {});\n", 'noFocusedTests'],
  ])('refuses %s', async (_, file, text, rule) => {
    const context = {
      'packages/web/package.json': '{ "name": "@parleyhq/web" }\n',
      'packages/core/src/cycle.ts': "export * from './index.ts';\n",
    };
    expect(await check(checkStyle, { ...context, [file]: text })).toContain(rule);
  });

  test('takes sound code', async () => {
    expect(await check(checkStyle, { [CORE]: "export const a = 'b';\n" })).toBe('');
  });
});

describe('types', { timeout: 60_000 }, () => {
  test.each([
    ['source', CORE],
    ['tests', 'packages/core/src/core.test.ts'],
    ['journeys', 'packages/cli/test/serve.test.ts'],
    ['web', 'packages/web/src/app.ts'],
  ])('refuses an unchecked index in %s', async (_, file) => {
    expect(await check(checkTypes, { [file]: 'export const first: string = [""][0];' })).toContain('TS2322');
  });

  test('takes sound code', async () => {
    const manifest = { 'package.json': { type: 'module' } };
    expect(await check(checkTypes, { ...manifest, [CORE]: 'export const first = [""][0];' })).toBe('');
  });
});

describe('dead code', { timeout: 60_000 }, () => {
  const repository = (files, dependencies = {}) => ({
    'package.json': { name: 'root', private: true, workspaces: ['packages/*'] },
    'packages/core/package.json': {
      name: '@parleyhq/core',
      type: 'module',
      exports: { '.': './src/index.ts' },
      dependencies,
    },
    [CORE]: "export { a } from './a.ts';",
    'packages/core/src/a.ts': 'export const a = 1;',
    ...files,
  });

  test('refuses an unused file, export and dependency, and an unlisted one', async () => {
    const files = {
      'packages/core/src/b.ts': '',
      'packages/core/src/a.ts': "import 'unheard-of';\nexport const a = 1, c = 2;",
    };
    const found = await check(checkDeadCode, repository(files, { zod: '4.6.7' }));
    for (const part of [
      'Unused files (1)',
      'Unused exports (1)',
      'Unused dependencies (1)',
      'Unlisted dependencies (1)',
    ]) {
      expect(found).toContain(part);
    }
  });

  test('takes code in use', async () => {
    expect(await check(checkDeadCode, repository({}))).toBe('');
  });
});
