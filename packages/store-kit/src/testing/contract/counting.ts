import {
  CaseCounter,
  type CaseFilter,
  type ChatEvent,
  keyOf,
  type Statistics,
  type Store,
  statisticsGroupings,
} from '@parleyhq/core';
import { expect, test } from 'vitest';
import { CaseChanges } from '../../case-changes.ts';
import { makeAppend, makeSession } from './make.ts';
import { type Draw, drawFrom, makeLog } from './random-log.ts';
import type { Subject } from './subject.ts';

const rounds = 6;
const stepsOfRound = 40;
const steps = ['append', 'append', 'append', 'read', 'read', 'delete', 'reopen', 'reset'] as const;
const deletion = { event: 'session_deleted', at: '2026-03-01T12:00:00.000Z' } as const;

type Entry = readonly [name: string, counted: unknown, hidden: unknown];

const sorted = (entries: readonly Entry[]) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));

async function readAll({ statistics }: Store): Promise<readonly Entry[]> {
  const found: Entry[] = [];
  for await (const chunk of statistics.read())
    for (const { sessionId, counted, hidden } of chunk) found.push([`${sessionId} ${counted.id}`, counted, hidden]);
  return sorted(found);
}

/** Counts what is not hidden, by each grouping, from sums if the store keeps them. */
async function countShown(
  { statistics }: Store,
  filter: CaseFilter,
  isSummed: boolean,
): Promise<readonly Statistics[]> {
  const counters = statisticsGroupings.map((by) => new CaseCounter(by));
  for await (const chunk of statistics.read(filter, { isSummed }))
    for (const { sessionId, counted, hidden, sum } of chunk)
      if (!hidden) for (const counter of counters) counter.add(sessionId, counted, sum);
  return counters.map((counter) => counter.finish());
}

/** A period that begins and ends with a day, within one, or not at all. */
function somePeriod(draw: Draw): CaseFilter {
  const times = [undefined, '2026-03-01T00:00:00.000Z', '2026-03-01T12:20:00.000Z', '2026-03-02T00:00:00.000Z'];
  const [from, to] = [times[draw(4)], [...times, '2026-03-02T01:00:00.000Z'][draw(5)]];
  return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
}

/** The same from the logs alone. */
function foldAll(logs: ReadonlyMap<string, readonly ChatEvent[]>): readonly Entry[] {
  const found = [...logs].flatMap(([id, log]) => {
    const all = new CaseChanges({ findCase: () => undefined, findHidden: () => undefined });
    for (const event of log) all.add(event);
    return [...all.cases.values()].map((each): Entry => [`${id} ${each.id}`, each, all.hidden.get(each.toolCallId)]);
  });
  return sorted(found);
}

/** Tests that each read finds what a fold of the logs finds, whatever happens between reads, also on two nodes at once. */
export function testCounting(subject: Subject): void {
  test('[LESS1, OPS4] what is counted equals a fold of the logs, after deletions, restarts and a new count', async () => {
    const seed = Date.now() % 1_000_000;
    const draw = drawFrom(seed);
    try {
      for (let round = 0; round < rounds; round += 1) await playRound(subject, draw);
    } catch (cause) {
      throw new Error(`with the seed ${seed}`, { cause });
    }
  }, 120_000);
}

async function playRound(subject: Subject, draw: Draw): Promise<void> {
  const ids = ['s1', 's2', 's3'];
  const sources = new Map(ids.map((id) => [id, makeLog(id, 40, draw)]));
  const logs = new Map<string, ChatEvent[]>();
  const check = async () => {
    const other = await subject.another();
    const nodes = other ? [subject.store, other] : [subject.store];
    const found = await Promise.all(nodes.map(readAll));
    await other?.close();
    for (const each of found) expect(each).toEqual(foldAll(logs));
    const period = somePeriod(draw);
    const [sums, cases] = [
      await countShown(subject.store, period, true),
      await countShown(subject.store, period, false),
    ];
    expect(sums).toEqual(cases);
  };
  for (let step = 0; step < stepsOfRound; step += 1) {
    const id = ids[draw(ids.length)] as string;
    switch (steps[draw(steps.length)]) {
      case 'append':
        await append(
          subject.store,
          logs,
          id,
          sources
            .get(id)
            ?.slice(logs.get(id)?.length ?? 0)
            .slice(0, 1 + draw(8)) ?? [],
        );
        break;
      case 'delete':
        await subject.store.sessions.remove(id, deletion);
        logs.delete(id);
        break;
      case 'reopen':
        await subject.reopen();
        break;
      case 'reset':
        await subject.store.statistics.reset();
        break;
      default:
        await check();
    }
  }
  await check();
  for (const id of logs.keys()) await subject.store.sessions.remove(id, deletion);
}

async function append(
  { sessions, events }: Store,
  logs: Map<string, ChatEvent[]>,
  id: string,
  added: readonly ChatEvent[],
): Promise<void> {
  const log = logs.get(id) ?? [];
  if (!logs.has(id)) await sessions.create(makeSession(id));
  logs.set(id, log);
  if (added.length === 0) return;
  const stored = added.map((event) => ({ seq: event.seq, key: keyOf(event), text: JSON.stringify(event) }));
  await events.append(makeAppend(id, log.length, { events: stored }));
  log.push(...added);
}
