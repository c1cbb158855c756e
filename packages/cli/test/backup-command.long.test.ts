import { copyFile, cp, mkdir, readdir, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { runParley } from '../../server/test/support/command.ts';
import { Journey, pluginPath } from '../../server/test/support/journey.ts';
import { makeFolder } from '../../server/test/support/plugin-file.ts';
import { startServer, useServer } from '../../server/test/support/use-server.ts';

const server = useServer();
const folder = makeFolder();
let copies = 0;
const newFile = () => join(folder, `copy-${++copies}.db`);
const backUp = (file: string, dataDir = server.dataDir, ...more: string[]) =>
  runParley('backup', file, '--data-dir', dataDir, ...more);

/** Starts a server on a restored backup. */
async function restore(file: string) {
  const dataDir = join(folder, `restored-${copies}`);
  await mkdir(dataDir, { mode: 0o700 });
  await copyFile(file, join(dataDir, 'parley.db'));
  return startServer({ dataDir, args: ['--no-auth', '--trust'] });
}

test('[OPS6, OPS5] a backup of a running server is restored by --data-dir: the same log, a new epoch, and its question is answered', async () => {
  const journey = await Journey.begin(server);
  await journey.call('ask_user', { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] });
  const prompt = (await journey.event('interaction_request')).payload;
  const before = journey.events();
  const file = newFile();
  const { code, stdout, stderr } = await backUp(file);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`${file} holds 1 session and ${before.length} events, and was checked.\n`);
  await journey.submit(prompt, { answer: 'Tea' }); // after the backup, so only the original has it
  const restored = await restore(file);
  const again = await journey.join(restored);
  await again.event('interaction_request');
  expect(again.events().slice(0, before.length)).toEqual(before);
  expect(again.settlements(prompt)).toEqual([]);
  expect((await again.tab.waitFor('welcome')).epoch).not.toBe((await journey.tab.waitFor('welcome')).epoch);
  expect(await again.submit(prompt, { answer: 'Coffee' })).toMatchObject({ ok: true });
});

test('[OPS6, PLG13a] uploaded files are copied next to the database, and restored with it', async () => {
  const asker = await startServer({ plugins: [pluginPath('scripted.mjs')] });
  const journey = await Journey.begin(asker);
  const ask = { request: { type: 'input', inputSchema: { type: 'form', fields: [{ id: 'cv', type: 'file' }] } } };
  const prompt = await journey.ask('scripted', ask);
  const place = `/api/sessions/${journey.session}/interactions/${prompt.interactionId}/files/cv`;
  const headers = { 'upload-length': '3', 'content-disposition': 'attachment; filename="a.txt"' };
  const told = await fetch(asker.httpUrl + place, { method: 'POST', headers, body: 'one' });
  const { file } = (await told.json()) as { file: object };
  await journey.submit(prompt, { cv: file });
  const copy = newFile();
  expect((await backUp(copy, asker.dataDir)).stdout).toMatch(
    / events, and was checked\. \S+\.files holds 1 file of answers\.\n$/,
  );
  await asker.kill();
  const restored = await restore(copy);
  await cp(`${copy}.files`, join(restored.dataDir, 'files'), { recursive: true });
  expect(await (await fetch(`${restored.httpUrl}${place}/0`)).text()).toBe('one');
});

test('[OPS6] of events written during a backup, it has those up to one point in time, without a gap', async () => {
  const journey = await Journey.begin(server);
  const writing = (async () => {
    for (let n = 0; n < 100; n += 1) await journey.tab.say(journey.session, `message ${n}`);
  })();
  const file = newFile();
  expect((await backUp(file, server.dataDir, '--json')).code).toBe(0);
  await writing;
  const restored = await restore(file);
  const again = await journey.join(restored);
  const seqs = again.events().map(({ seq }) => seq);
  expect(seqs).toEqual(seqs.map((_, n) => n + 1));
});

test('[OPS6, SEC8] a backup is one file, readable by its owner only, and replaces an older one atomically', async () => {
  const file = newFile();
  await writeFile(file, 'of yesterday');
  const { stdout } = await backUp(file, server.dataDir, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ file, bytes: (await stat(file)).size });
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await readdir(folder)).filter((name) => name.startsWith(`copy-${copies}`) || name.endsWith('.part'))).toEqual(
    [`copy-${copies}.db`],
  );
});

test('[OPS6] a damaged database is reported and not copied: the older backup stays', async () => {
  const dataDir = join(folder, 'damaged');
  await mkdir(dataDir);
  const file = newFile();
  expect((await backUp(file)).code).toBe(0);
  const older = await readFile(file);
  await copyFile(file, join(dataDir, 'parley.db'));
  const db = new Sqlite(join(dataDir, 'parley.db'));
  db.exec('delete from events where seq = 2');
  db.close();
  expect(await backUp(file, dataDir)).toMatchObject({ code: 1, stderr: expect.stringContaining('lack events') });
  await truncate(join(dataDir, 'parley.db'), 8192);
  expect(await backUp(file, dataDir)).toMatchObject({ code: 1, stderr: expect.stringContaining('damaged') });
  expect(await readFile(file)).toEqual(older);
});

test.each<[string, () => [string, string?], number, RegExp]>([
  ['within the data directory', () => [join(server.dataDir, 'copy.db')], 2, /backup: .*inside the data directory/],
  ['of a folder without a database', () => [newFile(), folder], 2, /no Parley database/],
  ['to a folder that is not there', () => [join(folder, 'nowhere/copy.db')], 1, /no folder/],
  ['over a folder', () => [folder], 1, /it exists and is not a file/],
])('[OPS6] a backup %s is refused with a message', async (_, words, code, message) => {
  const [file, dataDir] = words();
  expect(await backUp(file, dataDir)).toMatchObject({ code, stderr: expect.stringMatching(message) });
});
