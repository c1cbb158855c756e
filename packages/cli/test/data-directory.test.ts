import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ParleyProcess } from '../../server/test/support/command.ts';
import { makeFolder } from '../../server/test/support/plugin-file.ts';
import { startServer } from '../../server/test/support/use-server.ts';

/** The names in the first column of the table in docs/operations.md, without what is below a folder. */
function listDescribed(): readonly string[] {
  const text = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8');
  const [, table = ''] = /## The data directory\n\n\| File \|.*\n.*\n([\s\S]*?)\n\n/.exec(text) ?? [];
  const cells = table.split('\n').map((line) => line.split('|')[1] ?? '');
  const names = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
  return names.map((name) => name.replace(/\/.*/, ''));
}

test('[OPS2] what a server and its commands write in the data directory is what docs/operations.md lists', async () => {
  const folder = makeFolder();
  const server = await startServer({ args: ['--no-auth', '--audit-sink', join(folder, 'audit.jsonl')] });
  const at = ['--data-dir', server.dataDir];
  const asking = new ParleyProcess(['approve', 'Ship it?', '--subject', 'v2', ...at]);
  await asking.says('Waiting for an answer at ');
  const run = (...words: readonly string[]) => new ParleyProcess([...words, ...at]).end();
  const { interaction } = JSON.parse((await run('inbox', '--json')).stdout);
  writeFileSync(join(folder, 'note.txt'), 'As agreed.');
  await run('answer', interaction.interactionId, 'approve', '--attach', join(folder, 'note.txt'));
  expect(await asking.end()).toMatchObject({ code: 0 });
  expect(await run('receipt', interaction.interactionId)).toMatchObject({ code: 0 });
  const passing = ['open-<pid>.html', 'parley.id']; // only while a browser is opened, and in a folder that nobody named
  const described = listDescribed().filter((name) => !passing.includes(name));
  const found = () => readdirSync(server.dataDir).toSorted();
  await expect.poll(found).toContain('audit.cursor');
  expect(found()).toEqual(described.toSorted());
});
