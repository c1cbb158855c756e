import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { createToken, runParley } from '../../../packages/server/test/support/command.ts';
import { ServerProcess } from '../../../packages/server/test/support/server-process.ts';
import { openPostgresStore } from '../src/index.ts';
import { usePostgres } from './support/use-postgres.ts';

async function start(env: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await ServerProcess.start({ env });
  onTestFinished(() => server.remove());
  return server;
}

/** A new database, and a way to look into it. */
async function makeTarget(): Promise<{ url: string; sql: postgres.Sql }> {
  const url = await (await usePostgres()).createDatabase();
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return { url, sql };
}

/** A server with one session in which something was answered and something is asked, and the log of it. */
async function talk(server: ServerProcess) {
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call ask_user {"question":"Tea or coffee?","options":["Tea","Coffee"]}');
  await tab.answer(session, await tab.prompt(session), { action: 'submit', input: { answer: 'Tea' } });
  const { seq } = await tab.event(session, 'turn_end');
  await tab.ask({ type: 'update_session', sessionId: session, title: 'Ünïcode \u{1F44B}', pinned: true });
  await tab.say(session, '/call ask_user {"question":"Milk?","options":["Yes","No"]}');
  const open = await tab.prompt(session, seq);
  return { session, open, events: tab.events(session), epoch: (await tab.waitFor('welcome')).epoch };
}

test('[OPS6] parley migrate copies a data directory to PostgreSQL: the same logs, tokens and audit, a new epoch, and what is asked is answered there', async () => {
  const server = await start();
  const { session, open, events, epoch } = await talk(server);
  await createToken(server.dataDir, '--name', 'ann', '--role', 'responder');
  const { url, sql } = await makeTarget();
  const migrate = () => runParley('migrate', server.dataDir, url);
  const early = await migrate();
  expect([early.code, early.stderr]).toEqual([expect.any(Number), expect.stringContaining('Another Parley')]);
  expect(early.code).not.toBe(0);
  await server.kill('SIGTERM');
  const { code, stdout, stderr } = await migrate();
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain(`1 session and ${events.length} events are in the database`);
  const again = await migrate();
  expect([again.code !== 0, again.stderr]).toEqual([true, expect.stringContaining('is not empty')]);

  const next = await start({ PARLEY_STORE: url });
  const tab = await next.open();
  const welcome = await tab.waitFor('welcome');
  expect(welcome.epoch).not.toBe(epoch);
  const { session: row } = await tab.follow(session);
  expect(row).toMatchObject({ title: 'Ünïcode \u{1F44B}', pinned: true });
  await tab.until((frame) => frame.type === 'live');
  expect(tab.events(session).slice(0, events.length)).toEqual(events);
  expect((await tab.answer(session, open, { action: 'submit', input: { answer: 'No' } })).ok).toBe(true);
  await tab.event(session, 'turn_end', undefined, events.length);
  expect(await sql`select name, role from tokens`).toEqual([{ name: 'ann', role: 'responder' }]);
  expect(await sql`select 1 from audit where text like '%interaction_response%' or text like '%submit%'`).not.toEqual(
    [],
  );
});

test('[OPS6] where a log comes back different nothing is copied', async () => {
  const server = await start();
  const { session } = await talk(server);
  await server.kill('SIGTERM');
  const { url, sql } = await makeTarget();
  await (await openPostgresStore(url)).close();
  await sql.unsafe(`
    create function garble() returns trigger language plpgsql as
      'begin new.text = replace(new.text, ''Tea'', ''Tee''); return new; end';
    create trigger garbled before insert on events for each row execute function garble()`);
  const { code, stderr } = await runParley('migrate', server.dataDir, url);
  expect([code !== 0, stderr]).toEqual([
    true,
    expect.stringContaining(`The log of session ${session} came back different`),
  ]);
  expect(await sql`select 1 from sessions`).toEqual([]);
});
