import type { ChatEvent } from '@parleyhq/core';
import { expect, vi } from 'vitest';

async function readMetric(url: string, name: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0);
}

/** Returns how many calls have left memory since the server at this address began. */
export function countSleeps(url: string): Promise<number> {
  return readMetric(url, 'parley_calls_hibernated_total');
}

/** Resolves when this many sessions are in memory. */
export async function waitForSessions(url: string, count: number): Promise<void> {
  const look = async () => expect(await readMetric(url, 'parley_sessions_in_memory')).toBe(count);
  await vi.waitFor(look, { timeout: 20_000, interval: 20 });
}

/** Resolves when at least this many calls have left memory. */
export async function waitForSleeps(url: string, count: number): Promise<void> {
  const look = async () => expect(await countSleeps(url)).toBeGreaterThanOrEqual(count);
  await vi.waitFor(look, { timeout: 20_000, interval: 20 });
}

/** Returns the log without ids and times, so that two runs of the same story can be compared. */
export function toPlainLog(events: readonly ChatEvent[]): unknown {
  const names = new Map<string, string>();
  const nameOf = (id: string) => names.get(id) ?? (names.set(id, `#${names.size}`).get(id) as string);
  const text = JSON.stringify(events.map(({ timestamp: _, ...event }) => event))
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, nameOf)
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'a time');
  return JSON.parse(text);
}
