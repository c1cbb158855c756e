import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PluginHost } from '@parleyhq/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { scriptContext } from '../test/script.ts';
import { coversDeletion, suggestDeletions } from './delete-files.ts';
import plugin from './index.ts';

let dataDir: string;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'parley-forms-'));
  await setUp();
});

afterEach(() => rm(dataDir, { recursive: true }));

test('[PLG7] exactly the approved files are deleted', async () => {
  const before = await listScratch();
  const person = scriptContext({ action: 'approve' });

  expect(await person.run('delete_files', { files: ['notes.txt', 'draft.md'] })).toEqual({
    ok: true,
    deleted: ['notes.txt', 'draft.md'],
  });

  expect(await listScratch()).toEqual(before.filter((name) => name !== 'notes.txt' && name !== 'draft.md'));
  expect(person.asked[0]).toMatchObject({
    type: 'approval',
    risk: 'high',
    subject: { kind: 'text', text: 'notes.txt\ndraft.md' },
  });
});

test('[PLG7] a denial keeps the files and gives the reason', async () => {
  const before = await listScratch();
  const person = scriptContext({ action: 'deny', reason: 'I need them' });
  expect(await person.run('delete_files', { files: ['notes.txt'] })).toEqual({
    ok: false,
    denied: true,
    reason: 'I need them',
  });
  expect(await listScratch()).toEqual(before);
});

test.each([{ action: 'deny' }, { action: 'cancel' }] as const)(
  '[PLG7] %j without a reason is a denial',
  async (reply) => {
    expect(await scriptContext(reply).run('delete_files', { files: ['notes.txt'] })).toEqual({
      ok: false,
      denied: true,
      reason: 'A person did not allow this.',
    });
  },
);

test('[APR6] without an answer nothing is deleted', async () => {
  const before = await listScratch();
  expect(await scriptContext('timeout').run('delete_files', { files: ['notes.txt'] })).toEqual({
    ok: false,
    error: 'timeout',
  });
  expect(await listScratch()).toEqual(before);
});

test('[APR1] a session grant covers exactly the files it names', async () => {
  const person = scriptContext({ action: 'approve', approvalScope: 'session' });
  await person.run('delete_files', { files: ['notes.txt', 'todo.txt'] });
  await setUp();

  expect(await person.run('delete_files', { files: ['todo.txt', 'notes.txt'] })).toMatchObject({ ok: true });
  expect(person.asked).toHaveLength(1);

  person.say({ action: 'deny' });
  expect(await person.run('delete_files', { files: ['notes.txt'] })).toMatchObject({ denied: true });
});

test('[APR1] after “once” it asks again', async () => {
  const person = scriptContext({ action: 'approve', approvalScope: 'once' }, { action: 'deny' });
  await person.run('delete_files', { files: ['notes.txt'] });
  expect(await person.run('delete_files', { files: ['notes.txt'] })).toMatchObject({ denied: true });
});

test.each(['../secret', '..', 'a/b', '/etc/passwd', 'a\\b', '.hidden', '', 'a\nb', 'a\u202eb'])(
  '[AGT6] %j is refused as a file name',
  async (file) => {
    const person = scriptContext();
    await expect(person.run('delete_files', { files: ['notes.txt', file] })).rejects.toMatchObject({
      code: 'invalid_args',
    });
    expect(person.asked).toHaveLength(0);
  },
);

test('[PLG7] a missing file is not an error', async () => {
  const person = scriptContext({ action: 'approve' });
  expect(await person.run('delete_files', { files: ['nothing.txt', 'notes.txt'] })).toEqual({
    ok: true,
    deleted: ['notes.txt'],
    missing: ['nothing.txt'],
  });
});

test('[PLG1] setup restores missing files and leaves the others alone', async () => {
  await rm(join(dataDir, 'scratch', 'notes.txt'));
  await writeFile(join(dataDir, 'scratch', 'todo.txt'), 'mine');
  await setUp();
  expect(await listScratch()).toContain('notes.txt');
  expect(await readFile(join(dataDir, 'scratch', 'todo.txt'), 'utf8')).toBe('mine');
});

async function setUp(): Promise<void> {
  await plugin.setup?.({ dataDir } as PluginHost);
}

function listScratch(): Promise<string[]> {
  return readdir(join(dataDir, 'scratch'));
}

test('[LESS2] deleting leftovers with one ending is suggested, and covers no other files', () => {
  const calls = [['a.tmp'], ['b.tmp', 'c.tmp']].map((files) => ({ toolName: 'delete_files', args: { files } }));
  const [rule] = suggestDeletions(calls);
  expect(rule).toMatchObject({ label: 'deleting files of the scratch folder whose names end in `.tmp`' });
  expect(coversDeletion(rule as never, { files: ['d.tmp', 'e.tmp'] })).toBe(true);
  for (const files of [
    ['d.tmp', 'notes.txt'],
    ['d.tmp', 'e.cache'],
    ['d.cache'],
    ['../d.tmp'],
    ['.tmp'],
    ['tmp'],
    ['d.TMP'],
    ['d.tmp\n.tmp'],
  ])
    expect(coversDeletion(rule as never, { files }), files.join()).toBe(false);
});

test('[LESS2] for the files of people, and for those that nothing makes again, nothing is suggested', () => {
  for (const files of [['notes.txt'], ['a.log'], ['a.bak'], ['a.tmp', 'b.cache'], ['a.tmp', 'notes.txt']])
    expect(suggestDeletions([{ toolName: 'delete_files', args: { files } }])).toEqual([]);
});
