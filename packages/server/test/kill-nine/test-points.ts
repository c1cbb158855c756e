import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StoredSession } from './checked-log.ts';
import { describeKill } from './kill.ts';
import { type Point, points, type Sequel } from './points.ts';
import { Theatre } from './theatre.ts';

/** A test for every point, with so many tabs attached. */
export function testPoints(tabs: number): void {
  let theatre: Theatre;
  beforeAll(async () => {
    theatre = await Theatre.open();
  });
  afterAll(() => theatre.close());

  test.each(points.map((point) => [titleOf(point), point] as const))('%s', async (_, point) => {
    const { tool, beside, kill, sequel } = point;
    const session = await theatre.play({ tools: [tool, ...(beside ? [beside] : [])], tabs, kill });
    const seen = sequelOf(session);
    expect(sequel === 'either' ? ['goes on', 'asks'] : [sequel]).toContain(seen);
  });
}

function titleOf({ tool, beside, kill, sequel }: Point): string {
  const rules = `${sequel === 'goes on' ? 'DUR1, DUR2, DUR7' : 'DUR1, DUR4'}${beside ? ', APR2, APR4' : ''}`;
  return `[${rules}] ${tool}${beside ? ` beside ${beside}` : ''}, killed ${describeKill(kill)}`;
}

function sequelOf({ log }: StoredSession): Sequel {
  if (log.some(({ type, payload }) => type === 'tool_result' && payload.error !== undefined)) return 'fails';
  return log.some(({ payload }) => payload.slot === '$recovery') ? 'asks' : 'goes on';
}
