import { type ParleyProcess, runParley, startParley } from '@parleyhq/client/process';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { usePostgres } from './support/use-postgres.ts';

async function start(env: Record<string, string> = {}): Promise<ParleyProcess> {
  const parley = await startParley({ env });
  onTestFinished(() => parley.stop());
  return parley;
}

/** Creates a database. @returns its address and a connection to inspect it */
async function makeTarget(): Promise<{ url: string; sql: postgres.Sql }> {
  const url = await (await usePostgres()).createDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return { url, sql };
}

/** Makes a session with an answered and an open prompt. @returns its log */
async function talk(parley: ParleyProcess) {
  const tab = await parley.tab();
  const { sessionId, client } = tab;
  const tea = await tab.ask('ask_user', { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] });
  await tab.submit(tea, { answer: 'Tea' });
  await tab.event('turn_end');
  await client.request({ type: 'update_session', sessionId, title: 'Ünïcode \u{1F44B}', pinned: true });
  const open = await tab.ask('ask_user', { question: 'Milk?', options: ['Yes', 'No'] });
  return { sessionId, open, events: tab.events(), epoch: tab.session.state.epoch };
}

test('[OPS6] parley migrate copies a data directory to PostgreSQL: the same logs, tokens and audit, a new epoch, and open prompts can be answered there', async () => {
  const parley = await start();
  const { sessionId, open, events, epoch } = await talk(parley);
  await parley.run('token', 'create', '--name', 'ann', '--role', 'responder');
  const { url, sql } = await makeTarget();
  const migrate = () => runParley('migrate', parley.dataDir, url);
  const early = await migrate();
  expect([early.code, early.stderr]).toEqual([expect.any(Number), expect.stringContaining('Another Parley')]);
  expect(early.code).not.toBe(0);
  await parley.kill('SIGTERM');
  const { code, stdout, stderr } = await migrate();
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`1 session and ${events.length} events are in the database`);
  const again = await migrate();
  expect([again.code !== 0, again.stderr]).toEqual([true, expect.stringContaining('is not empty')]);

  const next = await start({ PARLEY_STORE: url });
  const tab = await next.join(sessionId);
  expect(tab.session.state.epoch).not.toBe(epoch);
  expect(tab.session.state.session).toMatchObject({ title: 'Ünïcode \u{1F44B}', pinned: true });
  expect(tab.events().slice(0, events.length)).toEqual(events);
  await tab.submit(open, { answer: 'No' });
  await tab.event('turn_end', undefined, events.length);
  expect(await sql`select name, role from tokens`).toEqual([{ name: 'ann', role: 'responder' }]);
  expect(await sql`select 1 from audit where text like '%interaction_response%' or text like '%submit%'`).not.toEqual(
    [],
  );
});

test('[OPS6] nothing is copied if a log comes back different', async () => {
  const parley = await start();
  const { sessionId } = await talk(parley);
  await parley.kill('SIGTERM');
  const { url, sql } = await makeTarget();
  await (await openPostgresStore(url)).close();
  await sql.unsafe(`
    create function garble() returns trigger language plpgsql as
      'begin new.text = replace(new.text, ''Tea'', ''Tee''); return new; end';
    create trigger garbled before insert on events for each row execute function garble()`);
  const { code, stderr } = await runParley('migrate', parley.dataDir, url);
  expect([code !== 0, stderr]).toEqual([
    true,
    expect.stringContaining(`The log of session ${sessionId} came back different`),
  ]);
  expect(await sql`select 1 from sessions`).toEqual([]);
});
