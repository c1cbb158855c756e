import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isInEditZone } from './edit-zone.ts';

let base: string;
let folder: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'parley-zone-'));
  folder = join(base, 'work');
  await mkdir(join(folder, 'src'), { recursive: true });
  await mkdir(join(folder, '.git/hooks'), { recursive: true });
  await mkdir(join(base, 'work-other'));
  await writeFile(join(base, 'outside.txt'), '');
  await symlink(base, join(folder, 'up'));
  await symlink(join(folder, '.git'), join(folder, 'harmless'));
  await symlink(join(base, 'outside.txt'), join(folder, 'file-link'));
  await symlink(join(base, 'nowhere'), join(folder, 'dangling'));
  await symlink(join(folder, 'src'), join(folder, 'inner'));
});
afterAll(() => rm(base, { recursive: true }));

test.each(['a.txt', 'src/new/deep/b.ts', './src/../c.txt', 'inner/d.txt'])(
  '[APR3, AGT3] acceptEdits lets %s be changed',
  async (path) => {
    expect(await isInEditZone(folder, path)).toBe(true);
    expect(await isInEditZone(folder, join(folder, path))).toBe(true);
  },
);

test.each([
  '../outside.txt',
  '../work-other/a.txt',
  '/etc/passwd',
  '.',
  'up/outside.txt',
  'file-link',
  'dangling',
  'dangling/a.txt',
  '.git/hooks/pre-commit',
  '.GIT/config',
  'harmless/hooks/pre-commit',
  'src/.claude/settings.json',
  '.mcp.json',
  'src/.bashrc',
  '.ssh/authorized_keys',
  '',
])('[APR3, AGT3] acceptEdits does not let %j be changed', async (path) => {
  expect(await isInEditZone(folder, path)).toBe(false);
});

test.each([undefined, null, 7, ['a.txt']])('[APR3, AGT3] a missing path is not an edit: %j', async (path) => {
  expect(await isInEditZone(folder, path)).toBe(false);
});
