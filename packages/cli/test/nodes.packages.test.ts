import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { run, useTarballs } from './support/tarballs.ts';

const tarballs = useTarballs();
let project: string;
beforeAll(async () => {
  project = await tarballs.project('nodes', { 'import.mjs': plugin, 'play.mjs': play });
  const ours = ['cli', 'web', 'client', 'core', 'runtime', 'testkit'].map((name) => `packages/${name}`);
  await tarballs.install(project, ...ours, 'zod');
}, 300_000);

// `engines` requires 20.19, so the first is the oldest that is supported.
test.each(['20', '22', '24'])(
  '[PLG12] on Node %s the command serves a tool, stores its call in SQLite and continues it after a kill',
  async (line) => {
    const folder = process.env[`PARLEY_NODE_${line}`] ?? '';
    const node = join(folder, 'bin/node');
    const build = join(project, 'node_modules/better-sqlite3/build');
    await rm(build, { recursive: true, force: true });
    await cp(join(folder, '../better-sqlite3/build'), build, { recursive: true });
    expect((await run(node, ['node_modules/parleyd/dist/main.js', '--version'], { cwd: project })).stdout).toBe(
      '0.1.0\n',
    );
    const { stdout } = await run(node, ['play.mjs'], { cwd: project });
    expect(JSON.parse(stdout)).toEqual({
      node: expect.stringMatching(new RegExp(`^v${line}\\.`)),
      outcome: { result: { imported: 3, by: expect.stringMatching(new RegExp(`^v${line}\\.`)) } },
      isKept: true,
    });
  },
);

const plugin = `import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

const importRows = defineTool({
  name: 'import_rows',
  description: 'Imports.',
  durable: true,
  parameters: { rows: z.number() },
  async handler({ rows }, ctx) {
    if (!(await ctx.confirm('import', 'Import?'))) throw ctx.error('denied', 'Not imported.');
    return { imported: rows, by: process.version };
  },
});
export default definePlugin({ name: 'rows', tools: [importRows] });
`;

const play = `import { existsSync } from 'node:fs';
import { startParley } from '@parleyhq/client/process';
import { approve } from '@parleyhq/core/testing';

const parley = await startParley({ plugins: ['./import.mjs'] });
const tab = await parley.tab();
await tab.call('import_rows', { rows: 3 });
const prompt = await tab.prompt();
await parley.restart();
await tab.answer(prompt, approve());
const outcome = await tab.result();
console.log(JSON.stringify({ node: process.version, outcome, isKept: existsSync(parley.dataDir + '/parley.db') }));
await parley.stop();
`;
