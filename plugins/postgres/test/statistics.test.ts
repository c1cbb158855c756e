import { type ChatEvent, keyOf, type Store } from '@parleyhq/core';
import { makeAppend, makeSession } from '@parleyhq/store-kit/testing';
import postgres from 'postgres';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { usePostgres } from './support/use-postgres.ts';

async function open(): Promise<{ store: Store; url: string }> {
  const url = await (await usePostgres()).createDatabase();
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  return { store, url };
}

function useSql(url: string): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return sql;
}

/** Stores a session with a call that a policy allowed. */
async function call({ sessions, events }: Store, sessionId: string): Promise<void> {
  await sessions.create(makeSession(sessionId));
  const payload = { toolCallId: 'c', toolName: 'list', args: {}, authorised: { by: 'policy' } };
  const envelope = { seq: 1, id: 'e1', sessionId, v: 1, timestamp: '2026-03-01T12:00:00.000Z' };
  const event = { ...envelope, type: 'tool_call', payload } as unknown as ChatEvent;
  const stored = { seq: 1, key: keyOf(event), text: JSON.stringify(event) };
  await events.append(makeAppend(sessionId, 0, { events: [stored] }));
}

async function readSessions({ statistics }: Store): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const chunk of statistics.read()) found.push(...chunk.map(({ sessionId }) => sessionId));
  return found.toSorted();
}

test('[LESS1, OPS4] counting locks sessions in the order of all writes, so that no write waits for it in a circle', async () => {
  const { store, url } = await open();
  await call(store, 's2'); // the order of ids is not that in which they were stored
  await call(store, 's1');
  const [writer, observer] = [useSql(url), useSql(url)];
  const counting = await writer.begin(async (sql) => {
    await sql`select 1 from sessions where id = 's1' for update`;
    const counted = readSessions(store);
    counted.catch(() => undefined); // reported below
    await vi.waitFor(
      async () => {
        const waiting = await observer`select 1 from pg_stat_activity where wait_event_type = 'Lock'
          and datname = current_database()`;
        expect(waiting).toHaveLength(1);
      },
      { timeout: 20_000, interval: 10 },
    );
    await sql`select 1 from sessions where id = 's2' for update`;
    return { counted };
  });
  expect(await counting.counted).toEqual(['s1', 's2']);
});

test('[LESS1] what an earlier release counted is dropped at once, however much it is, and counted again', async () => {
  const { store, url } = await open();
  await call(store, 's1');
  expect(await readSessions(store)).toEqual(['s1']);
  const sql = useSql(url);
  await sql.unsafe(`
    create function refuse_rows() returns trigger language plpgsql as 'begin raise exception ''row by row''; end';
    create trigger slow before delete on counted_cases for each row execute function refuse_rows();
    update counted_cases set details = '{}';
    update meta set value = '0' where name = 'counted'`);
  expect(await readSessions(store)).toEqual(['s1']);
  expect(await sql`select 1 from counted_cases where details = '{}'`).toEqual([]);
});
