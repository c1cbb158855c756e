import type { SharedNews, Store } from '@parleyhq/core';
import { makeAppend, makeSession } from '@parleyhq/server/testing';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { usePostgres } from './support/use-postgres.ts';

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  return store;
}

/** Two nodes with the sessions `s1` and `s2`, what a third one hears from then on, and the database. */
async function listen() {
  const url = await (await usePostgres()).createDatabase();
  const [a, b, listener] = [await open(url), await open(url), await open(url)];
  for (const id of ['s1', 's2']) await a.sessions.create(makeSession(id));
  const heard: SharedNews[] = [];
  const faults: unknown[] = [];
  await listener.shared?.follow(
    (news) => heard.push(...news),
    (error) => faults.push(error),
  );
  const sql = postgres(url, { max: 1 });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return { a, b, sql, heard, faults };
}

const patiently = { timeout: 30_000 };

test('[OPS4] what was stored by a transaction that began early and ended late is told of, too', async () => {
  const { a, b, sql, heard, faults } = await listen();
  await sql.unsafe(`
    create function wait_for_holder() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(1); return null; end'`);
  const [session] = await sql<{ key: number }[]>`select key from sessions where id = 's1'`;
  await sql.unsafe(`
    create constraint trigger slow_commit after insert on events deferrable initially deferred
      for each row when (new.session = ${session?.key}) execute function wait_for_holder()`);
  await sql`select pg_advisory_lock(1)`;
  const slow = a.events.append(makeAppend('s1', 0));
  const waiting = () => sql<[]>`select 1 from pg_locks where locktype = 'advisory' and not granted`;
  await expect.poll(waiting, patiently).toHaveLength(1); // it has its number, and all but the commit
  for (const seq of [0, 1, 2]) {
    await b.events.append(makeAppend('s2', seq));
    await expect.poll(() => heard, patiently).toContainEqual({ what: 'changed', sessionId: 's2', seq: seq + 1 }); // the node looked on
  }
  await sql`select pg_advisory_unlock(1)`;
  await slow;
  await expect.poll(() => heard, patiently).toContainEqual({ what: 'changed', sessionId: 's1', seq: 1 });
  expect([heard.length, faults]).toEqual([4, []]); // each once
});

test('[OPS4] what no notification told of is found by the next look', async () => {
  const { sql, heard, faults } = await listen();
  await sql`insert into events (session, seq, text) select key, 1, '{}' from sessions where id = 's1'`;
  await expect.poll(() => heard, patiently).toEqual([{ what: 'changed', sessionId: 's1', seq: 1 }]);
  expect(faults).toEqual([]);
});
