import { readFileSync } from 'node:fs';
import { type ParleyProcess, type StartParleyOptions, startParley } from '@parleyhq/client/process';
import { expect, onTestFinished, test } from 'vitest';
import { usePostgres } from './support/use-postgres.ts';

async function start(options: StartParleyOptions): Promise<ParleyProcess> {
  const parley = await startParley(options);
  onTestFinished(() => parley.stop());
  return parley;
}

test('[OPS4, DUR1, SEC8] a server on PostgreSQL keeps its sessions over kill -9, and never shows the database’s address', async () => {
  const url = await (await usePostgres()).createDatabase();
  const address = url.replace('parley@', 'parley:hunter2-is-secret@');
  const parley = await start({ args: ['--store', address] });
  const tab = await parley.tab();
  const asked = await tab.ask('ask_user', { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] });
  expect(readFileSync(`/proc/${parley.pid}/cmdline`, 'latin1')).not.toContain('hunter2');
  expect(readFileSync(`/proc/${parley.pid}/environ`, 'latin1')).not.toContain('hunter2');
  await parley.kill();
  expect(parley.log).not.toContain('hunter2');
  await parley.restart();
  const later = await parley.join(tab.sessionId);
  expect(await later.prompt()).toEqual(asked);
});

test('[OPS4, SEC4] tokens are created in the database, and commands that read a data directory explain that', async () => {
  const parley = await start({ env: { PARLEY_STORE: await (await usePostgres()).createDatabase() } });
  const made = await parley.run('token', 'create', '--role', 'viewer', '--name', 'Ann', '--json');
  expect(JSON.parse(made.stdout)).toMatchObject({ role: 'viewer', name: 'Ann' });
  expect(JSON.parse((await parley.run('token', 'list', '--json')).stdout)).toMatchObject({ name: 'Ann' });
  const audit = await parley.run('audit');
  expect(audit).toMatchObject({ code: 2, stderr: expect.stringContaining('these sessions are in PostgreSQL') });
});
