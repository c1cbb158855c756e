import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { compile, published, root, run, useTarballs } from './support/tarballs.ts';

const tarballs = useTarballs();
const versionOf = async (name: string): Promise<string> =>
  JSON.parse(await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;

const resolutions = [
  ['node16', { module: 'node16' }],
  ['bundler', { module: 'esnext', moduleResolution: 'bundler' }],
] as const;

describe.each(published)('[PLG12] %s', (path) => {
  test('has the files that its manifest names, a README and a licence, and no tests', async () => {
    const { contents, size } = tarballs.of(path);
    const manifest = JSON.parse(await readFile(join(root, path, 'package.json'), 'utf8'));
    const targets = (value: unknown): string[] =>
      typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(targets);
    for (const target of [...targets(manifest.exports), ...targets(manifest.bin), 'README.md', 'LICENSE'])
      expect(contents).toContain(target.replace('./', ''));
    expect(contents.filter((file) => /\.test\.|(^|\/)test\/|tsbuildinfo/.test(file))).toEqual([]);
    expect(size).toBeLessThan(2_500_000);
  });

  test('passes publint and "Are the types wrong?"', async () => {
    const { file } = tarballs.of(path);
    const bin = (variable: string, script: string) => join(process.env[variable] ?? '', 'node_modules', script);
    const publint = bin('PARLEY_PUBLINT', 'publint/src/cli.js');
    const attw = bin('PARLEY_ATTW', '@arethetypeswrong/cli/dist/index.js');
    expect((await run(process.execPath, [publint, 'run', file, '--strict'])).stdout).toContain('All good!');
    await run(process.execPath, [attw, file, '--profile', 'esm-only']);
  });
});

describe('[PLG12] in an empty project', () => {
  let project: string;
  beforeAll(async () => {
    project = await tarballs.project('application', { 'use.mts': everything, 'agent.test.ts': agentTest });
    const others = ['zod', 'vitest', '@types/node', 'typescript', 'tsx'];
    const versions = await Promise.all(others.map(async (name) => `${name}@${await versionOf(name)}`));
    await tarballs.install(project, ...published, ...versions);
    // Copies the binary of this Node; nodes.packages.test.ts tests the others.
    await cp(join(root, 'node_modules/better-sqlite3/build'), join(project, 'node_modules/better-sqlite3/build'), {
      recursive: true,
    });
  }, 300_000);

  test.each(resolutions)('every export resolves to types, by %s', async (_, options) => {
    await compile(project, { ...options, types: ['node'], lib: ['es2023', 'dom', 'dom.iterable'] });
  });

  test('every export that Node can load is available without a deep import', async () => {
    const { stdout } = await run(process.execPath, ['--import', 'tsx', 'use.mts'], { cwd: project });
    expect(stdout).toBe('every export is there\n');
  });

  test('one line tests an agent against the contract, under vitest', async () => {
    const options = { cwd: project, env: { ...process.env, NO_COLOR: '1' } };
    const { stdout } = await run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run'], options);
    expect(stdout).toMatch(/Tests +4 passed/);
  });
});

// The oldest and newest vitest in the peer range of `@parleyhq/server`, on a Node that both support.
test.each(['3.2.0', '5.1.1'])(
  '[PLG5, PLG12] under vitest %s an agent is tested against the contract, and a plugin on a server',
  async (version) => {
    const read = (name: string) => readFile(join(root, 'docs/examples', name), 'utf8');
    const files = { 'hello.test.ts': await read('hello.test.ts'), 'hello.mjs': await read('hello.mjs') };
    const project = await tarballs.project(`vitest-${version}`, { ...files, 'agent.test.ts': agentTest });
    await tarballs.install(
      project,
      'packages/core',
      'packages/client',
      'packages/runtime',
      'packages/store-kit',
      'packages/server',
      `vitest@${version}`,
    );
    const folder = process.env.PARLEY_NODE_24 ?? '';
    await cp(join(folder, '../better-sqlite3/build'), join(project, 'node_modules/better-sqlite3/build'), {
      recursive: true,
    });
    const options = { cwd: project, env: { ...process.env, NO_COLOR: '1' } };
    const { stdout } = await run(join(folder, 'bin/node'), ['node_modules/vitest/vitest.mjs', 'run'], options);
    expect(stdout).toContain(`v${version}`);
    expect(stdout).toMatch(/Tests +5 passed/);
  },
  300_000,
);

const everything = `import * as client from '@parleyhq/client';
import * as processes from '@parleyhq/client/process';
import * as fakes from '@parleyhq/client/testing';
import * as core from '@parleyhq/core';
import * as claudeTools from '@parleyhq/claude-tools';
import * as schemas from '@parleyhq/core/schemas';
import * as played from '@parleyhq/core/testing';
import * as transcript from '@parleyhq/core/transcript';
import * as acp from '@parleyhq/plugin-acp';
import * as anthropic from '@parleyhq/plugin-anthropic';
import * as fakeModel from '@parleyhq/plugin-anthropic/testing';
import * as askUser from '@parleyhq/plugin-ask-user';
import * as claudeAgent from '@parleyhq/plugin-claude-agent';
import * as claudeHooks from '@parleyhq/plugin-claude-code';
import * as claudeCommands from '@parleyhq/plugin-claude-code/commands';
import * as codex from '@parleyhq/plugin-codex';
import * as codexCommands from '@parleyhq/plugin-codex/commands';
import * as forms from '@parleyhq/plugin-forms';
import * as mcp from '@parleyhq/plugin-mcp';
import * as notifiers from '@parleyhq/plugin-notifiers';
import * as postgres from '@parleyhq/plugin-postgres';
import * as reviewers from '@parleyhq/plugin-reviewers';
import * as shell from '@parleyhq/plugin-shell';
import * as server from '@parleyhq/server';
import * as store from '@parleyhq/store-kit';
import type * as elements from '@parleyhq/web';

export type Elements = typeof elements;
const ours = { client, processes, fakes, core, claudeTools, schemas, played, transcript, server, store };
const all = { ...ours, acp, anthropic, fakeModel, postgres, claudeCommands, codexCommands };
const plugins = [askUser, claudeAgent, claudeHooks, codex, forms, mcp, notifiers, reviewers, shell].map(({ default: { name } }) => name);
const empty = Object.entries(all).filter(([, module]) => Object.keys(module).length === 0);
console.log(empty.length + plugins.filter((name: string) => !name).length === 0 ? 'every export is there' : empty);
`;

/** The one line is the second; the agent below it stands for one with a model. */
const agentTest = `import { testAgent } from '@parleyhq/server/testing';
testAgent('mine', () => agent, { talk: 'hello', call: 'call', ramble: 'ramble' });

const agent = {
  name: 'mine',
  async *run(turn, signal) {
    const log = await turn.read();
    const asked = log.findLast(({ type }) => type === 'user_message').payload.text;
    const isBack = log.at(-1).type === 'tool_result';
    if (asked === 'call' && !isBack) yield { type: 'tool_call', toolName: 'echo', args: {} };
    else do yield { type: 'text', text: 'So be it. ' }; while (asked === 'ramble' && !signal.aborted);
  },
};
`
  .replace('(turn, signal)', '(turn: any, signal: AbortSignal): AsyncGenerator<any>')
  .replaceAll('({ type })', '({ type }: any)');
