import { expect, test } from 'vitest';
import type { StoredSession } from './checked-log.ts';
import { useHarness } from './harness.ts';
import { describeKill } from './kill.ts';
import { type Point, points, type Recovery } from './points.ts';
import type { StartKind } from './start-kind.ts';

/** Adds a test for each of these points, with this many tabs open and starts of this kind. */
export function testPoints(tabs: number, start: StartKind, chosen: readonly Point[] = points): void {
  const harness = useHarness(start);

  test.each(chosen.map((point) => [titleOf(point), point] as const))('%s', async (_, point) => {
    const { tool, beside, kill, recovery } = point;
    const session = await harness.run({ tools: [tool, ...(beside ? [beside] : [])], tabs, kill });
    const isOpen = recovery === 'either' || (start === 'quiet' && recovery === 'asks'); // asleep when killed, or not yet
    expect(isOpen ? ['goes on', 'asks'] : [recovery]).toContain(recoveryOf(session));
  });
}

function titleOf({ tool, beside, kill, recovery }: Point): string {
  const rules = `${recovery === 'goes on' ? 'DUR1, DUR2, DUR7' : 'DUR1, DUR4'}${beside ? ', APR2, APR4' : ''}`;
  return `[${rules}] ${tool}${beside ? ` beside ${beside}` : ''}, killed ${describeKill(kill)}`;
}

function recoveryOf({ log }: StoredSession): Recovery {
  if (log.some(({ type, payload }) => type === 'tool_result' && payload.error !== undefined)) return 'fails';
  return log.some(({ payload }) => payload.slot === '$recovery') ? 'asks' : 'goes on';
}
