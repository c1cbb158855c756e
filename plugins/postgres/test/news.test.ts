import type { Store, StoreChange } from '@parleyhq/core';
import { makeAppend, makeSession } from '@parleyhq/store-kit/testing';
import postgres from 'postgres';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { PostgresServer } from './support/postgres-server.ts';
import { usePostgres } from './support/use-postgres.ts';

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore(url);
  onTestFinished(() => store.close());
  return store;
}

/** Opens two nodes with the sessions `s1` and `s2`, and a third that records changes. @returns also the database */
async function listen(given?: string) {
  const url = given ?? (await (await usePostgres()).createDatabase());
  const [a, b, listener] = [await open(url), await open(url), await open(url)];
  for (const id of ['s1', 's2']) await a.sessions.create(makeSession(id));
  await listener.shared?.renew({ id: 'listener', details: null }, 60_000);
  const heard: StoreChange[] = [];
  const faults: unknown[] = [];
  await listener.shared?.follow(
    (news) => heard.push(...news),
    (error) => faults.push(error),
  );
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return { a, b, listener, sql, heard, faults };
}

const patiently = { timeout: 30_000 };

test('[OPS4] changes of a transaction that began early and ended late are reported, too', async () => {
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
  await expect.poll(waiting, patiently).toHaveLength(1); // the transaction has its id and only its commit is missing
  for (const seq of [0, 1, 2]) {
    await b.events.append(makeAppend('s2', seq));
    // the node has queried again
    await expect.poll(() => heard, patiently).toContainEqual({ what: 'changed', sessionId: 's2', seq: seq + 1 });
  }
  await sql`select pg_advisory_unlock(1)`;
  await slow;
  await expect.poll(() => heard, patiently).toContainEqual({ what: 'changed', sessionId: 's1', seq: 1 });
  expect([heard.length, faults]).toEqual([4, []]); // each change once
});

test('[OPS4] a change without a notification is found by the next poll', async () => {
  const { sql, heard, faults } = await listen();
  await sql`insert into events (session, seq, text) select key, 1, '{}' from sessions where id = 's1'`;
  await expect.poll(() => heard, patiently).toEqual([{ what: 'changed', sessionId: 's1', seq: 1 }]);
  expect(faults).toEqual([]);
});

test('[OPS4, DUR8] no change is missed after a crash of the database, which reuses ids of transactions that were not on disk', async () => {
  const server = await PostgresServer.create();
  onTestFinished(() => server.remove());
  await server.start(['wal_writer_delay=10s']); // such commits reach the disk late
  const { a, listener, sql, heard } = await listen(server.urlOf('postgres'));
  await listener.shared?.renew({ id: 'listener', details: null }, 60_000);
  await sql`set synchronous_commit = off`;
  for (let n = 0; n < 50; n += 1) await sql`select pg_notify('parley_news', 'another node')`;
  const [now] = await sql<{ at: string }[]>`select clock_timestamp()::text as at`;
  const looks = () => sql<[]>`
    select 1 from pg_stat_activity
    where query like '%session_news%' and state = 'idle' and query_start > ${now?.at ?? ''}::timestamptz`;
  await expect.poll(async () => (await looks()).length, patiently).toBeGreaterThan(0); // the node has queried again
  await server.crash();
  await server.start();
  const append = () => a.events.append(makeAppend('s1', 0)).then(...said);
  await expect.poll(append, patiently).toBe('stored');
  await expect.poll(() => heard, patiently).toContainEqual({ what: 'changed', sessionId: 's1', seq: 1 });
});

const said = [() => 'stored', () => 'the database is away'] as const;
