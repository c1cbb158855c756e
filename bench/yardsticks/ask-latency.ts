import type { AskReport, AskSpec } from '../process/ask-run.ts';
import { quantile } from '../report/stats.ts';
import { type Cell, judge, printTable } from '../report/table.ts';
import { Comparison } from './comparison.ts';
import { closeRooms, interleave, openRooms, type Side, type Stage, sides } from './stage.ts';

interface Result {
  readonly p50: number;
  readonly p99: number;
  readonly perSecond: number;
  readonly cpuEach: number;
}

/** W1: ask, store, send to all tabs, answer, store, send to all tabs, continue. */
export async function measureInteractions(stage: Stage, where = ''): Promise<void> {
  const serial: Cell[][] = [];
  const burst: Cell[][] = [];
  for (const tabs of stage.plan.tabs) {
    const rooms = await openRooms(stage, tabs, 'demo');
    if (tabs === stage.plan.tabs[0]) await warmUp(stage, rooms);
    const run = async (branches: number) =>
      new Comparison(
        await interleave(stage.plan.rounds, (side) =>
          askOnce(stage, side, rooms[side], { ms: stage.plan.ms, branches }),
        ),
      );
    const one = await run(1);
    const many = await run(64);
    await closeRooms(stage, rooms);
    serial.push([
      String(tabs),
      ...one.medians('p50'),
      judge(one.ratio('p50'), { atMost: 1.5 }),
      ...one.medians('p99'),
      ...one.medians('cpuEach'),
    ]);
    burst.push([
      String(tabs),
      ...many.medians('perSecond'),
      judge(many.ratio('perSecond'), { atLeast: 0.5 }),
      ...many.medians('cpuEach'),
      judge(many.ratio('cpuEach'), { atMost: 2 }),
    ]);
  }
  printTable(
    `W1 serial${where}: from the question until the last tab has the answer and the tool went on (goal: p50 at most 1.5 x)`,
    [
      'tabs',
      'limit p50 ms',
      'parley p50 ms',
      'ratio',
      'limit p99 ms',
      'parley p99 ms',
      'limit CPU µs',
      'parley CPU µs',
    ],
    serial,
  );
  printTable(
    `W1 with 64 questions open at once${where} (goals: at least 0.5 x the rate, at most 2 x the CPU)`,
    ['tabs', 'limit /s', 'parley /s', 'rate ratio', 'limit CPU µs', 'parley CPU µs', 'CPU ratio'],
    burst,
  );
}

/** Warms both servers up, so that neither is measured before its code is compiled. */
async function warmUp(stage: Stage, rooms: Record<Side, number>): Promise<void> {
  for (const side of sides) await askOnce(stage, side, rooms[side], { ms: 5 * stage.plan.ms, branches: 64 });
}

/** Measures one run of questions: the server reports the tool's times, the swarm those of the last tab. */
export async function askOnce({ swarm, servers }: Stage, side: Side, room: number, spec: AskSpec): Promise<Result> {
  const text = side === 'limit' ? JSON.stringify({ kind: 'ask', ...spec }) : `/call bench_ask ${JSON.stringify(spec)}`;
  await swarm.call('say', room, text, spec.branches === 1);
  const { asked, resolved, cpu } = (await servers[side].process.call('report')) as AskReport;
  const told = await swarm.call('take', room, 'interaction_response', asked.length);
  await swarm.call('take', room, 'assistant_done', 1);
  const times = asked.map((at, n) => Math.max(resolved[n] as number, told[n] as number) - at);
  const end = Math.max(
    resolved.reduce((a, b) => Math.max(a, b), 0),
    told.at(-1) ?? 0,
  );
  return {
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    perSecond: (asked.length * 1000) / (end - (asked[0] as number)),
    cpuEach: cpu / asked.length,
  };
}
