// Negative controls: each gate must refuse a repository that breaks its rule, and accept a sound one.
import { describe, expect, test } from 'vitest';
import { checkCircles } from './circles.mjs';
import { makeRepository } from './fixture.mjs';
import { checkLayers } from './layers.mjs';
import { checkProducts } from './products.mjs';
import { checkSize } from './size.mjs';
import { checkDeadCode, checkStyle, checkTypes } from './tools.mjs';
import { checkVersions } from './versions.mjs';
import { checkWords } from './words.mjs';

const CORE = 'packages/core/src/index.ts';
const lines = (count) => 'export {};\n'.repeat(count);
const report = async (problems) => (await problems).join('\n');
const check = (gate, files) => report(gate(makeRepository(files)));

describe('size', () => {
  test('refuses a file of more than 400 lines and accepts one of 400', () => {
    const small = { 'packages/core/src/a.ts': '', 'packages/core/src/b.ts': '' };
    const root = makeRepository({ ...small, [CORE]: lines(400), 'packages/core/src/core.test.ts': lines(401) });
    expect(checkSize(root)).toEqual(['packages/core/src/core.test.ts has 401 lines, above 400']);
  });

  test('refuses a median above 110, not counting tests', () => {
    const root = makeRepository({ [CORE]: lines(111), 'packages/core/src/core.test.ts': '' });
    expect(checkSize(root)).toEqual(['the median source file has 111 lines, above 110']);
  });
});

describe('words', () => {
  test.each([
    ['a comment', CORE, '// Sent to who listens.\nexport {};', ':1 "to who"'],
    [
      'a docstring over several lines',
      CORE,
      '/**\n * Undefined\n * where there is none.\n */\nexport const a = 1;',
      ':1 "Undefined where"',
    ],
    ['line comments below one another', CORE, '// The session is\n// gone.\nexport {};', ':1 "is gone"'],
    ['a message', CORE, "export const a = 'This is no image';", ':1 "is no"'],
    ['a paragraph', 'docs/guide.md', 'First.\n\nThe page lies\nbeside it.', ':3 "beside"'],
    ['a table', 'docs/guide.md', '| a | Of this, nothing |', ':1 "| Of"'],
  ])('refuses a phrase that has to be read twice in %s', async (_, file, text, place) => {
    expect((await checkWords(makeRepository({ [file]: text }))).join()).toContain(`${file}${place}`);
  });

  test.each([
    ['code in a document', 'docs/guide.md', '```\nbeside\n```\n`is gone`'],
    ['the texts of a test', 'packages/core/src/core.test.ts', "export const a = 'is gone';"],
    ['plain words', CORE, '/** Undefined if there is none. @throws Error if nobody listens */\nexport const a = 1;'],
  ])('accepts %s', async (_, file, text) => {
    expect(await checkWords(makeRepository({ [file]: text }))).toEqual([]);
  });
});

describe('products', () => {
  test.each([
    ['an identifier', CORE, 'export const claudeCode = 1;'],
    ['a comment', 'packages/server/src/http/routes.ts', '// Codex repeats it.'],
    ['an import', 'packages/runtime/src/turn/turn.ts', "import '@parleyhq/plugin-anthropic';"],
    ['a file name', 'packages/core/src/slack.ts', ''],
  ])('refuses a product in %s', (_, file, text) => {
    expect(checkProducts(makeRepository({ [file]: text })).join()).toContain(`${file}:`);
  });

  test('accepts it in a test, a plugin and the command', () => {
    const text = "import '@parleyhq/plugin-codex';";
    const files = ['packages/server/src/routes.test.ts', 'plugins/codex/src/index.ts', 'packages/cli/src/main.ts'];
    expect(checkProducts(makeRepository(Object.fromEntries(files.map((file) => [file, text]))))).toEqual([]);
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

  test('accepts a range that is also the range of a peer dependency', () => {
    const both = { peerDependencies: { zod: '^4.2.0' }, dependencies: { zod: '^4.2.0' } };
    const root = makeRepository({ 'packages/core/package.json': { name: 'core', version: '1.0.0', ...both } });
    expect(checkVersions(root)).toEqual([]);
  });

  test('refuses two versions of one dependency', () => {
    const root = makeRepository(manifests({ zod: '4.6.7' }, { zod: '4.6.6' }));
    expect(checkVersions(root).join()).toContain('zod is 4.6.6 in packages/server/package.json but 4.6.7');
  });

  test('refuses workspaces of different versions', () => {
    const root = makeRepository(manifests({}, { core: '1.0.1' }));
    expect(checkVersions(root).join()).toContain('a workspace is 1.0.1 in packages/server/package.json but 1.0.0');
  });

  test('refuses a lock file that names a registry or lacks the binaries of some platforms', () => {
    const packages = {
      'node_modules/a': {
        resolved: 'https://registry.example/a.tgz',
        optionalDependencies: { 'a-linux': '1.0.0', 'a-mac': '1.0.0' },
      },
      'node_modules/a-linux': {},
    };
    expect(checkVersions(makeRepository({ 'package-lock.json': { packages } }))).toEqual([
      'package-lock.json has the registry address of node_modules/a',
      'package-lock.json lacks a-mac, an optional dependency of node_modules/a',
    ]);
  });

  test('accepts one exact version everywhere', () => {
    expect(checkVersions(makeRepository(manifests({ zod: '4.6.7' }, { zod: '4.6.7', core: '1.0.0' })))).toEqual([]);
  });
});

describe('layers', () => {
  test.each([
    ['core → server', CORE, "import '@parleyhq/server';"],
    ['core → client, by path', CORE, "export * from '../../client/src/index.ts';"],
    ['web → server', 'packages/web/src/app/app.ts', "import { x } from '@parleyhq/server/testing';"],
    ['web → server, lazily', 'packages/web/src/app/app.ts', "await import('@parleyhq/server');"],
    ['server → a plugin', 'packages/server/src/index.ts', "import '@parleyhq/plugin-shell';"],
    ['a plugin → server', 'plugins/shell/src/index.ts', "import type { x } from '@parleyhq/server';"],
    ['a plugin → a plugin', 'plugins/shell/src/index.ts', "import '@parleyhq/plugin-forms';"],
    ['client → ws', 'packages/client/src/index.ts', "import { WebSocket } from 'ws';"],
    [
      'a plugin’s test → the inside',
      'plugins/shell/src/run.test.ts',
      "import '../../../packages/server/test/support/journey.ts';",
    ],
    [
      'an example’s test → the inside',
      'docs/examples/hello.test.ts',
      "import '../../packages/core/src/plugin/ask.ts';",
    ],
    ['core → the clock', CORE, 'export const now = () => Date.now();'],
    ['core → randomness', CORE, 'export const id = Math.random();'],
  ])('refuses %s', (_, file, text) => {
    const problems = checkLayers(makeRepository({ [file]: text }));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(file);
  });

  test('refuses an SDK in two files of a workspace, not counting tests', () => {
    const ws = "import { WebSocketServer } from 'ws';";
    const server = (...names) =>
      makeRepository(Object.fromEntries(names.map((name) => [`packages/server/src/${name}`, ws])));
    expect(checkLayers(server('http/a.ts', 'http/b.ts')).join()).toContain('ws is imported by');
    expect(checkLayers(server('http/a.ts', 'http/b.test.ts', 'testing/c.ts'))).toEqual([]);
    const apart = { 'packages/server/src/http/a.ts': ws, 'plugins/shell/src/index.ts': ws };
    expect(checkLayers(makeRepository(apart))).toEqual([]);
  });

  test('accepts what the layers allow, and ignores comments', () => {
    const root = makeRepository({
      'packages/web/src/app/app.ts': "import '@parleyhq/client';\nimport '@parleyhq/core';",
      'packages/cli/src/main.ts': "import '@parleyhq/server';\nimport '@parleyhq/plugin-shell';",
      'plugins/shell/src/index.ts': "import '@parleyhq/core';\nexport const now = Date.now();",
      [CORE]: "// import '@parleyhq/server'; Date.now()\n/** Not Date.now(). */\nimport './log/session.ts';",
    });
    expect(checkLayers(root)).toEqual([]);
  });
});

describe('rooms of the server', () => {
  const server = (file, text) => checkLayers(makeRepository({ [`packages/server/src/${file}`]: text }));

  test.each([
    ['an upward import', 'auth/token-watch.ts', "import { serveFrames } from '../http/frames.ts';"],
    ['an upward type', 'auth/token-watch.ts', "import type { Inbox } from '../extensions/inbox/inbox.ts';"],
    ['an upward import type', 'auth/ticket.ts', "export type Routes = import('../http/routes.ts').Routes;"],
    ['a re-export from above', 'auth/ticket.ts', "export * from '../http/frames.ts';"],
    ['an upward import of an extension', 'extensions/files/writers.ts', "import { Inbox } from '../inbox/inbox.ts';"],
    ['an import of the composition root', 'http/routes.ts', "import type { ServerOptions } from '../server.ts';"],
    ['an import of an adapter', 'auth/auth.ts', "import { openSqliteStore } from '../adapters/store/sqlite.ts';"],
    ['an import by an adapter', 'adapters/store/sqlite/open.ts', "import { Auth } from '../../../auth/auth.ts';"],
    ['an import between adapters', 'adapters/agent/demo.ts', "import { openSqliteStore } from '../store/sqlite.ts';"],
    ['a file without a place', 'runtime.ts', 'export const runtime = {};'],
    ['a folder without a place', 'common/queue.ts', 'export class Queue {}'],
    ['an adapter without a place', 'adapters/queue/queue.ts', 'export class Queue {}'],
    ['a folder of the extensions without a place', 'extensions/common/queue.ts', 'export class Queue {}'],
  ])('refuses %s', (_, file, text) => {
    const problems = server(file, text);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`packages/server/src/${file.split('/')[0]}`);
  });

  test.each([
    ['downward imports', 'http/frames.ts', "import '../extensions/inbox/inbox.ts';\nimport '../auth/ticket.ts';"],
    ['imports within a room', 'http/frames.ts', "import './routes.ts';"],
    ['the composition root', 'server.ts', "import './adapters/store/sqlite.ts';\nimport './http/routes.ts';"],
    ['tests', 'auth/auth.test.ts', "import '../server.ts';"],
    ['test helpers', 'testing/transport-contract.ts', "import '../connection/transport/ws.ts';"],
  ])('accepts %s', (_, file, text) => {
    expect(server(file, text)).toEqual([]);
  });
});

test.each([
  ['core', 'packages/core/src/form/field.ts', "import type { ChatEvent } from '../log/event.ts';"],
  ['the runtime', 'packages/runtime/src/tabs/client.ts', "import '../session/session-writer.ts';"],
  ['the runtime, to the server', 'packages/runtime/src/hub/hub.ts', "import '@parleyhq/server';"],
  ['the test kit, to the server', 'packages/testkit/src/world.ts', "import '@parleyhq/server';"],
  ['a store, to the server', 'plugins/postgres/src/batch.ts', "import '@parleyhq/server';"],
  ['web', 'packages/web/src/ui/copy.ts', "import '../form/field-view.ts';"],
  ['web, lazily', 'packages/web/src/inbox/inbox-page.ts', "await import('../app/app.ts');"],
  ['cli', 'packages/cli/src/settings/settings.ts', "import { serve } from '../serve/serve.ts';"],
  ['core, without a room', 'packages/core/src/field.ts', 'export const field = 1;'],
])('layers refuse an upward import in %s', (_, file, text) => {
  expect(checkLayers(makeRepository({ [file]: text }))).toHaveLength(1);
});

describe('import circles', () => {
  const A = 'packages/runtime/src/hub/a.ts';
  const B = 'packages/runtime/src/hub/b.ts';
  const C = 'plugins/shell/src/c.ts';

  test.each([
    ['two files', { [A]: "import './b.ts';", [B]: "export { a } from './a.ts';" }],
    ['types alone', { [A]: "import type { B } from './b.ts';", [B]: "import type { A } from './a.ts';" }],
    ['an import type', { [A]: "export type A = import('./b.ts').B;", [B]: "import type { A } from './a.ts';" }],
    ['a lazy import', { [A]: "export const b = () => import('./b.ts');", [B]: "import './a.ts';" }],
    ['a file with itself', { [A]: "import './a.ts';" }],
  ])('refuses one of %s', (_, files) => {
    const problems = checkCircles(makeRepository(files));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^import circle: (packages\/runtime\/src\/hub\/a\.ts) → .*\1$/);
  });

  test("refuses one through a package's name, in plugins too", () => {
    const files = {
      [C]: "import './d.ts';",
      'plugins/shell/src/d.ts': "import '@parleyhq/plugin-shell';",
      'plugins/shell/src/index.ts': "import './c.ts';",
    };
    expect(checkCircles(makeRepository(files))).toEqual([
      `import circle: ${C} → plugins/shell/src/d.ts → plugins/shell/src/index.ts → ${C}`,
    ]);
  });

  test('reports each cycle of connected files once', () => {
    const D = 'packages/runtime/src/hub/d.ts';
    const files = { [A]: "import './b.ts';\nimport './d.ts';", [B]: "import './a.ts';", [D]: "import './a.ts';" };
    expect(checkCircles(makeRepository(files))).toEqual([
      `import circle: ${A} → ${B} → ${A}`,
      `import circle: ${A} → ${D} → ${A}`,
    ]);
  });

  test('accepts files that share what they import, and comments', () => {
    const files = { [A]: "import './b.ts';\nimport '../d.ts';", [B]: "// import './a.ts';\nimport '../d.ts';" };
    expect(checkCircles(makeRepository({ ...files, 'packages/runtime/src/d.ts': '' }))).toEqual([]);
  });
});

describe('style', { timeout: 60_000 }, () => {
  test.each([
    ['unformatted code', 'lib/a.ts', 'export const a = "b"\n', 'formatting'],
    ['a Node.js module in core', CORE, "import 'node:fs';\n", 'noNodejsModules'],
    [
      'an undeclared dependency',
      'packages/web/src/app/app.ts',
      "import '@parleyhq/server';\n",
      'noUndeclaredDependencies',
    ],
    ['an import cycle', CORE, "export * from './cycle.ts';\n", 'noImportCycles'],
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

  test('accepts sound code', async () => {
    expect(await check(checkStyle, { [CORE]: "export const a = 'b';\n" })).toBe('');
  });
});

describe('types', { timeout: 60_000 }, () => {
  test.each([
    ['source', CORE],
    ['tests', 'packages/core/src/core.test.ts'],
    ['journeys', 'packages/cli/test/authoring.test.ts'],
    ['web', 'packages/web/src/app/app.ts'],
  ])('refuses an unchecked index in %s', async (_, file) => {
    expect(await check(checkTypes, { [file]: 'export const first: string = [""][0];' })).toContain('TS2322');
  });

  test('accepts sound code', async () => {
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

  test('refuses an unused file, export or dependency, and an unlisted dependency', async () => {
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

  test('accepts code that is used', async () => {
    expect(await check(checkDeadCode, repository({}))).toBe('');
  });
});
