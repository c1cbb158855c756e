import { quantile, show } from '../report/stats.ts';
import { type Cell, judge, printTable } from '../report/table.ts';
import { Comparison } from './comparison.ts';
import { closeRooms, interleave, openRooms, type Side, type Stage } from './stage.ts';

interface Result {
  readonly p50: number;
  readonly p99: number;
  readonly cpuEach: number;
}

/** How long Parley merges streamed text for this many tabs, in ms (the limit: always 50). */
const windowFor = (tabs: number) => (tabs <= 10 ? 0 : 50);

/** W2: streamed text is merged and sent, and stored as a whole at the end. */
export async function measureStreams(stage: Stage): Promise<void> {
  const rows: Cell[][] = [];
  const ms = stage.plan.ms * 3;
  for (const { perSecond, tabs } of stage.plan.streams) {
    const rooms = await openRooms(stage, tabs, 'bench-stream');
    const results = await interleave(stage.plan.rounds, (side) =>
      runOnce(stage, side, rooms[side], { perSecond, ms, tabs }),
    );
    await closeRooms(stage, rooms);
    const compared = new Comparison(results);
    const cpuRatio = compared.ratio('cpuEach');
    rows.push([
      `${perSecond}/s, ${tabs}`,
      ...compared.medians('cpuEach'),
      judge(cpuRatio, { atMost: tabs >= 100 ? 1.3 : 2 }),
      ...compared.medians('p50'),
      show(compared.median('limit', 'p99')),
      judge(compared.median('parley', 'p99'), { atMost: windowFor(tabs) + 10 }),
    ]);
  }
  printTable(
    'W2 streamed text, 20 characters a delta (goals: at most 2 x the CPU, from 100 tabs 1.3 x; last tab within the window and 10 ms)',
    [
      'deltas, tabs',
      'limit CPU µs',
      'parley CPU µs',
      'ratio',
      'limit last tab p50 ms',
      'parley p50 ms',
      'limit p99 ms',
      'parley p99 ms',
    ],
    rows,
  );
}

async function runOnce(
  { swarm, servers }: Stage,
  side: Side,
  room: number,
  { tabs, ...spec }: { perSecond: number; ms: number; tabs: number },
): Promise<Result> {
  await swarm.call('say', room, JSON.stringify({ kind: 'stream', ...spec }));
  const { cpu } = (await servers[side].process.call('report')) as { cpu: number };
  await swarm.call('take', room, 'assistant_done', 1);
  const delays = await swarm.call('takeDelays', room);
  const delivered = ((spec.perSecond * spec.ms) / 1000) * tabs;
  return { p50: quantile(delays, 0.5), p99: quantile(delays, 0.99), cpuEach: cpu / delivered };
}
