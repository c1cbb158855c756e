import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from '@parleyhq/core';
import { codeOf, makeAppend, makeEvent, makeSession, readSeqs, testEventStore } from '@parleyhq/store-kit/testing';
import Sqlite from 'better-sqlite3';
import { afterEach, expect, test } from 'vitest';
import { migrations } from './migrations/index.ts';
import type { Database } from './sqlite/database.ts';
import { findByKeys } from './sqlite/event-log.ts';
import { migrate } from './sqlite/migrate.ts';
import { openDatabase } from './sqlite/open.ts';
import { openSqliteStore, serveDatabase } from './sqlite.ts';

const folders: string[] = [];
const stores: Store[] = [];

afterEach(async () => {
  for (const store of stores.splice(0)) await store.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function makePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parley-store-'));
  folders.push(folder);
  return join(folder, 'data', 'parley.db');
}

function open(path: string): Store {
  const store = openSqliteStore(path);
  stores.push(store);
  return store;
}

/** A store whose database the test can access. */
function openBoth(): { db: Database; store: Store; path: string } {
  const path = makePath();
  mkdirSync(dirname(path));
  const db = openDatabase(path);
  const store = serveDatabase(db);
  stores.push(store);
  return { db, store, path };
}

testEventStore('sqlite', async () => {
  const path = makePath();
  let store = open(path);
  return {
    store,
    reopen: async () => {
      await store.close();
      store = open(path);
      return store;
    },
    close: () => store.close(),
  };
});

test('[DUR8] WAL with synchronous FULL, also after reopening, unless configured otherwise', () => {
  const path = makePath();
  mkdirSync(dirname(path));
  for (const [durability, level] of [
    ['full', 2],
    ['full', 2],
    ['normal', 1],
  ] as const) {
    const db = openDatabase(path, durability);
    db.exec("insert into logins (hash, expires_at) values (hex(randomblob(8)), '')");
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(db.pragma('synchronous', { simple: true })).toBe(level);
    expect(db.pragma('foreign_keys', { simple: true })).toBe(1);
    db.close();
  }
});

test('[DUR8] a database that cannot run WAL is refused', () => {
  expect(() => openDatabase(':memory:')).toThrow('journal_mode is memory, not wal');
  expect(existsSync(':memory:')).toBe(false);
});

test('[DUR8] on a full disk nothing of the tick is stored and reads continue; writes continue once there is space', async () => {
  const { db, store } = openBoth();
  await store.sessions.create(makeSession('s1'));
  await store.events.append(makeAppend('s1', 0));
  db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true })}`);
  const big = makeAppend('s1', 2, { events: [{ ...makeEvent(3), text: 'x'.repeat(100_000) }] });
  const verdicts = await Promise.all([makeAppend('s1', 1), big].map((change) => codeOf(store.events.append(change))));
  expect(verdicts).toEqual(['StoreError full', 'StoreError full']);
  expect(await codeOf(store.sessions.create(makeSession('s2', { title: 'x'.repeat(100_000) })))).toBe(
    'StoreError full',
  );
  expect(await readSeqs(store, 's1')).toEqual([1]);
  expect((await store.sessions.get('s1'))?.session.seq).toBe(1);

  db.pragma('max_page_count = 1000000');
  expect(await codeOf(store.events.append(big))).toBe('StoreError conflict');
  await store.events.append(makeAppend('s1', 1));
  expect(await readSeqs(store, 's1')).toEqual([1, 2]);
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
});

// A busy machine may also delay the event loop, hence the retries.
test("[DUR8] another process's lock is waited for without blocking the event loop, then reported as busy", {
  retry: 2,
}, async () => {
  const { store, path } = openBoth();
  await store.sessions.create(makeSession('s1'));
  const foreign = openDatabase(path);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();

  foreign.exec('begin immediate');
  const waiting = codeOf(store.events.append(makeAppend('s1', 0)));
  await sleep(60);
  foreign.exec('rollback');
  expect(await waiting).toBe('ok');

  foreign.exec('begin immediate');
  const refused = store.events.append(makeAppend('s1', 1));
  const behind = store.events.append(makeAppend('s1', 2));
  expect(await codeOf(refused)).toBe('StoreError busy');
  expect(await readSeqs(store, 's1')).toEqual([1]);
  foreign.exec('rollback');
  foreign.close();
  expect(await codeOf(behind)).toMatch('StoreError');
  await store.events.append(makeAppend('s1', 1));
  expect(await readSeqs(store, 's1')).toEqual([1, 2]);
  delay.disable();
  expect(delay.max / 1e6).toBeLessThan(100);
});

test('[DUR8] any other database error is reported as failed and leaves no trace', async () => {
  const { db, store } = openBoth();
  await store.sessions.create(makeSession('s1'));
  db.exec("create trigger fail before update on sessions begin select raise(abort, 'no more'); end");
  const verdicts = [0, 1].map((after) => codeOf(store.events.append(makeAppend('s1', after))));
  expect(await Promise.all(verdicts)).toEqual(['StoreError failed', 'StoreError failed']);
  expect(await readSeqs(store, 's1')).toEqual([]);
  db.exec('drop trigger fail');
  expect(await codeOf(store.events.append(makeAppend('s1', 0)))).toBe('ok');
});

test('[DUR8] while a database is read-only, writes fail and reads continue; then writes continue too', async () => {
  const { db, store } = openBoth();
  await store.sessions.create(makeSession('s1'));
  await store.events.append(makeAppend('s1', 0));
  db.pragma('query_only = ON');
  const verdicts = [1, 2].map((after) => codeOf(store.events.append(makeAppend('s1', after))));
  expect(await Promise.all(verdicts)).toEqual(['StoreError failed', 'StoreError failed']);
  expect(await readSeqs(store, 's1')).toEqual([1]);
  expect((await store.sessions.get('s1'))?.session.seq).toBe(1);
  db.pragma('query_only = OFF');
  await store.events.append(makeAppend('s1', 1));
  expect(await readSeqs(store, 's1')).toEqual([1, 2]);
});

test('[EVT5] the schema matches the reviewed one', () => {
  const { db } = openBoth();
  const rows = db.prepare<[], string>('select sql from sqlite_master where sql is not null order by rowid').pluck();
  const golden = readFileSync(new URL('./migrations/schema.sql', import.meta.url), 'utf8');
  expect(`${rows.all().join(';\n\n')};\n`).toBe(golden);
});

test('[SEC4, EVT5] a database from before tokens is migrated, and its logins stay valid', async () => {
  const path = makePath();
  mkdirSync(dirname(path));
  const old = new Sqlite(path);
  migrate(old, migrations.slice(0, 2));
  old.exec("insert into logins values ('h', '2026-03-01T12:00:00.000Z')");
  old.close();
  const store = open(path);
  const login = { id: expect.stringMatching(/^[0-9a-f]{12}$/), expiresAt: '2026-03-01T12:00:00.000Z' };
  expect(await store.logins.find('h', 0)).toEqual(login);
  expect(await store.logins.list(0)).toEqual([login]);
  expect(await store.tokens.list()).toEqual([]);
});

test('[OPS5] a newer database is refused with an explanation', () => {
  const { db, path } = openBoth();
  db.pragma('user_version = 99');
  expect(() => openDatabase(path)).toThrow(/written by a newer Parley \(schema 99; this one knows \d+\)/);
});

test('[EVT5] a migration that fails leaves the schema before it', () => {
  const { db } = openBoth();
  const before = Number(db.pragma('user_version', { simple: true }));
  const steps = Array.from({ length: before }, () => '');
  expect(() => migrate(db, [...steps, 'create table a (b);', 'create table c (d); nonsense'])).toThrow('nonsense');
  expect(db.pragma('user_version', { simple: true })).toBe(before + 1);
  expect(db.prepare("select name from sqlite_master where name in ('a', 'c')").pluck().all()).toEqual(['a']);
});

test('[SEC8] data files are private to their owner', async () => {
  const path = makePath();
  mkdirSync(dirname(path), { mode: 0o755 });
  const store = open(path);
  await store.sessions.create(makeSession('s1'));
  const modeOf = (file: string) => statSync(file).mode & 0o777;
  expect(modeOf(dirname(path))).toBe(0o700);
  const files = readdirSync(dirname(path));
  expect(files).toEqual(expect.arrayContaining(['parley.db', 'parley.db-wal', 'parley.lock', 'parley.mutex']));
  expect(files.filter((file) => modeOf(join(dirname(path), file)) !== 0o600)).toEqual([]);
});

test('[WEB6] lists use an index', () => {
  const { db } = openBoth();
  const planOf = (where: string) =>
    db.prepare<[], { detail: string }>(`explain query plan select * from sessions where ${where}`).all();
  const page = "updated_minute <= '~' order by updated_minute desc, updated_at desc limit 10";
  expect(JSON.stringify(planOf(page))).toContain('sessions_by_minute');
  expect(JSON.stringify(planOf("status <> 'idle' or open_count > 0"))).toContain('sessions_unfinished');
});

test('[FRM6] an event is found by its key, not by walking its session', () => {
  const { db } = openBoth();
  const plan = db.prepare<[], { detail: string }>(`explain query plan ${findByKeys.replaceAll('?', "''")}`).all();
  expect(JSON.stringify(plan)).toContain('events_by_key (session=? AND key=?)');
});
