import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { ParleyProcess } from '../../../packages/server/test/support/command.ts';
import { ServerProcess } from '../../../packages/server/test/support/server-process.ts';
import { usePostgres } from './support/use-postgres.ts';

const ask = '/call ask_user {"question":"Tea or coffee?","options":["Tea","Coffee"]}';

test('[OPS4, DUR1, SEC8] a server on PostgreSQL keeps what it said over kill -9, and its address to itself', async () => {
  const url = await (await usePostgres()).createDatabase();
  const address = url.replace('parley@', 'parley:hunter2-is-secret@');
  const server = await ServerProcess.start({ args: ['--no-auth', '--store', address] });
  onTestFinished(() => server.remove());
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, ask);
  const asked = await tab.event(session, 'interaction_request');
  expect(readFileSync(`/proc/${server.ready.pid}/cmdline`, 'latin1')).not.toContain('hunter2');
  expect(readFileSync(`/proc/${server.ready.pid}/environ`, 'latin1')).not.toContain('hunter2');
  await server.kill('SIGKILL');
  expect(server.stderr.join('')).not.toContain('hunter2');
  await server.start();
  const later = await server.open();
  await later.follow(session);
  expect((await later.event(session, 'interaction_request')).payload).toEqual(asked.payload);
});

test('[OPS4, SEC4] tokens are made for the database, and what reads a data directory says so', async () => {
  const url = await (await usePostgres()).createDatabase();
  const env = { PARLEY_STORE: url };
  const run = (...words: string[]) => new ParleyProcess(words, { env }).end();
  const made = await run('token', 'create', '--role', 'viewer', '--name', 'Ann', '--json');
  expect(JSON.parse(made.stdout)).toMatchObject({ role: 'viewer', name: 'Ann' });
  expect(JSON.parse((await run('token', 'list', '--json')).stdout)).toMatchObject({ name: 'Ann' });
  const audit = await run('audit');
  expect(audit).toMatchObject({ code: 2, stderr: expect.stringContaining('these sessions are in PostgreSQL') });
});
