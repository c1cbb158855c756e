import type { AppendMethods } from '../parley/append.ts';
import { Child } from '../process/child.ts';
import { show } from '../report/stats.ts';
import { type Cell, judge, printTable } from '../report/table.ts';
import { Comparison } from './comparison.ts';
import { interleave, type Plan, type Side } from './stage.ts';

/** W6: appends to many sessions, in process. */
export async function measureAppends(plan: Plan, dataDir: string): Promise<void> {
  const programs: Record<Side, Child<AppendMethods>> = {
    limit: new Child('limit/append.ts', [dataDir]),
    parley: new Child('parley/append.ts', [dataDir]),
  };
  const rows: Cell[][] = [];
  try {
    for (const sessions of plan.sessions) {
      const results = await interleave(plan.rounds, (side) => programs[side].call('run', sessions, plan.ms));
      const compared = new Comparison(results);
      rows.push([
        show(sessions),
        ...compared.medians('perSecond'),
        judge(compared.ratio('perSecond'), { atLeast: 0.5 }),
        ...compared.medians('cpuEach'),
        show(compared.median('limit', 'longest')),
        judge(compared.median('parley', 'longest'), { atMost: 10 }),
      ]);
    }
  } finally {
    await Promise.all([programs.limit.stop(), programs.parley.stop()]);
  }
  printTable(
    'W6 appends of 400 bytes, 100 a transaction, decided and folded (goals: at least 0.5 x; longest transaction below 10 ms)',
    [
      'sessions',
      'limit /s',
      'parley /s',
      'ratio',
      'limit CPU µs',
      'parley CPU µs',
      'limit longest ms',
      'parley longest ms',
    ],
    rows,
  );
}
