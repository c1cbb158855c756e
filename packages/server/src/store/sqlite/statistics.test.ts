import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChatEvent, keyOf, type Store } from '@parleyhq/core';
import { makeAppend, makeSession } from '@parleyhq/store-kit/testing';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { arbitraryCountedLog, countLog, nothingCounted } from '../../../../core/test/support/counted-logs.ts';
import { openSqliteStore } from '../sqlite.ts';

vi.setConfig({ testTimeout: 60_000 }); // opens many databases, which takes long on a busy machine

const steps = ['append', 'append', 'append', 'read', 'read', 'delete', 'reopen', 'reset'] as const;

const arbitraryStep = fc.record({
  kind: fc.constantFrom(...steps),
  session: fc.nat(2),
  count: fc.integer({ min: 1, max: 8 }), // few, so that reads come between a question and its answer
});

const deletion = { event: 'session_deleted', at: '2026-03-01T12:00:00.000Z' } as const;

async function readAll({ statistics }: Store): Promise<unknown> {
  const found: [string, unknown, unknown][] = [];
  for await (const chunk of statistics.read())
    for (const { sessionId, counted, hidden } of chunk) found.push([`${sessionId} ${counted.id}`, counted, hidden]);
  return found.sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The same from the logs alone. */
function foldAll(logs: ReadonlyMap<string, readonly ChatEvent[]>): unknown {
  const found = [...logs].flatMap(([id, log]) => {
    const { cases, hidden } = countLog(nothingCounted, log);
    return [...cases.values()].map((each) => [`${id} ${each.id}`, each, hidden.get(each.toolCallId)] as const);
  });
  return JSON.parse(JSON.stringify(found.sort(([a], [b]) => (a < b ? -1 : 1)))).map(
    ([name, each, hidden]: [string, unknown, unknown]) => [name, each, hidden ?? undefined],
  );
}

test('[LESS1] what is counted equals a fold of the logs, after deletions, restarts and a new count', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-statistics-'));
  let run = 0;
  const property = fc.asyncProperty(
    fc.array(arbitraryCountedLog(40), { minLength: 3, maxLength: 3 }),
    fc.array(arbitraryStep, { minLength: 10, maxLength: 30 }),
    async (sources, plan) => {
      run += 1;
      const path = join(folder, String(run), 'parley.db');
      rmSync(join(folder, String(run - 1)), { recursive: true, force: true });
      let store = openSqliteStore(path);
      const logs = new Map<string, ChatEvent[]>();
      for (const { kind, session, count } of plan) {
        const id = `s${session}`;
        if (kind === 'append') {
          if (!logs.has(id)) await store.sessions.create(makeSession(id));
          const log = logs.get(id) ?? [];
          logs.set(id, log);
          const added = (sources[session] ?? []).slice(log.length, log.length + count);
          const events = added.map((event) => ({ seq: event.seq, key: keyOf(event), text: JSON.stringify(event) }));
          await store.events.append(makeAppend(id, log.length, { events }));
          log.push(...added);
        } else if (kind === 'delete') {
          await store.sessions.remove(id, deletion);
          logs.delete(id);
        } else if (kind === 'reopen') {
          await store.close();
          store = openSqliteStore(path);
        } else if (kind === 'reset') await store.statistics.reset();
        else expect(await readAll(store)).toEqual(foldAll(logs));
      }
      expect(await readAll(store)).toEqual(foldAll(logs));
      await store.close();
    },
  );
  try {
    await fc.assert(property, { numRuns: 15 });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

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
