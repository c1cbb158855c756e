import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session, Store } from '@parleyhq/core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from '../sqlite.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-history-'));
  path = join(folder, 'parley.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = '2026-01-01T00:00:00.000Z';
const session: Session = {
  id: 's',
  title: 'Session',
  agent: 'demo',
  permissionMode: 'default',
  status: 'idle',
  openCount: 0,
  createdAt: at,
  updatedAt: at,
  seq: 0,
};

async function append(store: Store, seq: number): Promise<void> {
  const text = JSON.stringify({ seq, filler: 'x'.repeat(300) });
  await store.events.append({
    sessionId: 's',
    expectedSeq: seq - 1,
    events: [{ seq, key: undefined, text }],
    session: { ...session, seq },
  });
}

async function seed(events: number): Promise<Store> {
  const store = openSqliteStore(path);
  await store.sessions.create(session);
  for (let seq = 1; seq <= events; seq += 1) await append(store, seq);
  return store;
}

async function reopen(): Promise<{ epoch: string; isRewound: boolean }> {
  const store = openSqliteStore(path);
  const { epoch, isRewound } = store;
  await store.close();
  return { epoch, isRewound };
}

test('[RPL2] a reopened store keeps its epoch', async () => {
  const store = await seed(3);
  await store.close();
  expect(await reopen()).toEqual({ epoch: store.epoch, isRewound: false });
  expect(await reopen()).toEqual({ epoch: store.epoch, isRewound: false });
});

test('[RPL2] a restored older database is noticed and gets a new epoch, once', async () => {
  const store = await seed(3);
  await store.close();
  copyFileSync(path, join(folder, 'backup.db'));
  const later = openSqliteStore(path);
  await append(later, 4);
  await later.close();
  copyFileSync(join(folder, 'backup.db'), path);

  const restored = await reopen();
  expect(restored.isRewound).toBe(true);
  expect(restored.epoch).not.toBe(store.epoch);
  expect(await reopen()).toEqual({ epoch: restored.epoch, isRewound: false });
});

test('[RPL2] a folder copied with its mark is a fork and gets a new epoch, once', async () => {
  const store = await seed(3);
  await store.close();
  const copy = join(folder, 'copy.db');
  for (const end of ['', '.mark']) copyFileSync(`${path}${end}`, `${copy}${end}`);
  for (const end of ['', '.mark']) rmSync(`${path}${end}`);
  for (const end of ['', '.mark']) copyFileSync(`${copy}${end}`, `${path}${end}`);
  const restored = await reopen();
  expect(restored.isRewound).toBe(true);
  expect(restored.epoch).not.toBe(store.epoch);
  expect(await reopen()).toEqual({ epoch: restored.epoch, isRewound: false });
});

test('[RPL2] a moved folder keeps its epoch', async () => {
  const store = await seed(3);
  await store.close();
  const moved = join(folder, 'moved.db');
  for (const end of ['', '.mark']) renameSync(`${path}${end}`, `${moved}${end}`);
  const found = openSqliteStore(moved);
  await found.close();
  expect(found.epoch).toBe(store.epoch);
});

test('[RPL2] a database without its mark is not trusted to be the newest', async () => {
  const store = await seed(1);
  await store.close();
  rmSync(`${path}.mark`);
  expect((await reopen()).isRewound).toBe(true);
});

test('[RPL2, DUR8] a flipped byte in the WAL, which SQLite silently drops, is detected', async () => {
  const store = await seed(20);
  const [database, log, mark] = [path, `${path}-wal`, `${path}.mark`].map((file) => readFileSync(file)) as [
    Buffer,
    Buffer,
    Buffer,
  ];
  await store.close();
  rmSync(`${path}-wal`, { force: true });
  rmSync(`${path}-shm`, { force: true });
  log.writeUInt8(log.readUInt8(Math.floor(log.length / 2)) ^ 1, Math.floor(log.length / 2));
  writeFileSync(path, database);
  writeFileSync(`${path}-wal`, log);
  writeFileSync(`${path}.mark`, mark);

  const damaged = await reopen();
  expect(damaged.isRewound).toBe(true);
  expect(damaged.epoch).not.toBe(store.epoch);
});

test('[RPL2, OPS5] deleting the session with the newest events does not count as a rewind', async () => {
  const store = await seed(3);
  await store.sessions.remove('s', { event: 'session_deleted', at: '2026-03-01T12:00:00.000Z' });
  await store.close();
  expect(await reopen()).toEqual({ epoch: store.epoch, isRewound: false });
});

test('[RPL2] a refused or rolled back append does not move the mark', async () => {
  const store = await seed(3);
  const keyed = { sessionId: 's', expectedSeq: 3, session };
  const twice = [4, 5].map((seq) => ({ seq, key: 'same', text: '{}' }));
  await expect(store.events.append({ ...keyed, events: twice })).rejects.toMatchObject({ code: 'conflict' });
  await store.close();
  expect(await reopen()).toEqual({ epoch: store.epoch, isRewound: false });
});
