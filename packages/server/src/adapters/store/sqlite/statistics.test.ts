import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@parleyhq/core';
import { makeAppend, makeSession } from '@parleyhq/store-kit/testing';
import { expect, test } from 'vitest';
import { openSqliteStore } from '../sqlite.ts';

async function readAll({ statistics }: Store): Promise<unknown> {
  const found: [string, unknown, unknown][] = [];
  for await (const chunk of statistics.read())
    for (const { sessionId, counted, hidden } of chunk) found.push([`${sessionId} ${counted.id}`, counted, hidden]);
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

test('[LESS1] what an earlier version counted is counted again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-statistics-'));
  const path = join(folder, 'parley.db');
  const store = openSqliteStore(path);
  await store.sessions.create(makeSession('s1'));
  const payload = { toolCallId: 'c', toolName: 'run', args: {}, authorised: { by: 'mode' } };
  const text = JSON.stringify({
    seq: 1,
    sessionId: 's1',
    timestamp: '2026-03-01T12:00:00.000Z',
    type: 'tool_call',
    payload,
  });
  await store.events.append(makeAppend('s1', 0, { events: [{ seq: 1, key: 'call:c', text }] }));
  const found = await readAll(store);
  await store.close();
  const { openDatabase } = await import('./open.ts');
  const db = openDatabase(path);
  db.exec("update counted_cases set details = '{}'; update meta set value = '0 1' where name = 'counted'");
  db.close();
  const later = openSqliteStore(path);
  expect(await readAll(later)).toEqual(found);
  await later.close();
  rmSync(folder, { recursive: true });
});
