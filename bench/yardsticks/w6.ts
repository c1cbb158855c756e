import type { AppendMethods } from '../parley/append.ts';
import { Child } from '../process/child.ts';
import { median, medianRatio, show } from '../report/stats.ts';
import { judge, printTable } from '../report/table.ts';
import { interleave, type Plan, type Side } from './stage.ts';

type Result = Awaited<ReturnType<AppendMethods['run']>>;

/** W6: appends to many sessions, in process. */
export async function measureAppends(plan: Plan, dataDir: string): Promise<void> {
  const programs: Record<Side, Child<AppendMethods>> = {
    limit: new Child('limit/append.ts', [dataDir]),
    parley: new Child('parley/append.ts', [dataDir]),
  };
  const rows: string[][] = [];
  try {
    for (const sessions of plan.sessions) {
      const results = await interleave(plan.rounds, (side) => programs[side].call('run', sessions, plan.ms));
      const of = (side: Side, name: keyof Result) => results[side].map((result) => result[name]);
      rows.push([
        show(sessions),
        show(median(of('limit', 'perSecond'))),
        show(median(of('parley', 'perSecond'))),
        judge(medianRatio(of('parley', 'perSecond'), of('limit', 'perSecond')), { atLeast: 0.5 }),
        show(median(of('limit', 'cpuEach'))),
        show(median(of('parley', 'cpuEach'))),
        show(median(of('limit', 'longest'))),
        judge(median(of('parley', 'longest')), { atMost: 10 }),
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
