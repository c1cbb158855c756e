import { median, medianRatio, show } from '../report/stats.ts';
import { type Cell, judge, printTable } from '../report/table.ts';
import { askOnce } from './ask-latency.ts';
import { Comparison } from './comparison.ts';
import { interleave, type Side, type Stage } from './stage.ts';

interface Result {
  readonly ms: number;
  readonly cpu: number;
  readonly held: number;
}

/** The number of replays of each kind per round. */
const repeats = 5;

/** W4: a new tab reads a long log, another one resumes near its end, and a third answers questions meanwhile. */
export async function measureReplays(stage: Stage): Promise<void> {
  const { plan, servers } = stage;
  const sessions = {
    limit: await servers.limit.process.call('fill', plan.events),
    parley: await servers.parley.process.call('fill', plan.events),
  };
  const epoch = await servers.parley.process.call('epoch');
  const rows: Cell[][] = [];
  for (const behind of [plan.events, 100]) {
    const cursor = behind === plan.events ? undefined : { epoch, seq: plan.events - behind };
    const results = await interleave(plan.rounds, (side) => replay(stage, side, sessions[side], cursor));
    const compared = new Comparison(results);
    rows.push([
      show(behind),
      ...compared.medians('ms'),
      judge(compared.ratio('ms'), { atMost: 2 }),
      ...compared.medians('cpu'),
      show(compared.median('limit', 'held')),
      judge(compared.median('parley', 'held'), { atMost: 5 }),
    ]);
  }
  printTable(
    'W4 replay of events of 400 bytes to one tab (goals: at most 2 x; the loop is never held for more than 5 ms)',
    ['events', 'limit ms', 'parley ms', 'ratio', 'limit CPU ms', 'parley CPU ms', 'limit loop ms', 'parley loop ms'],
    rows,
  );
  await measureBystander(stage, sessions.parley);
}

async function replay(
  { swarm, servers, plan }: Stage,
  side: Side,
  sessionId: string,
  cursor?: object,
): Promise<Result> {
  const { process, address } = servers[side];
  const times: number[] = [];
  const held: number[] = [];
  const cpuBefore = await process.call('cpu');
  for (let n = 0; n < repeats; n += 1) {
    await process.call('startLoopMeter');
    times.push(await swarm.call('replay', address, sessionId, plan.events, cursor));
    held.push(await process.call('stopLoopMeter'));
  }
  const cpu = ((await process.call('cpu')) - cpuBefore) / repeats / 1000;
  return { ms: median(times), cpu, held: median(held) };
}

/** Measures questions in another session, alone and during continuous replays of the long log. */
async function measureBystander(stage: Stage, sessionId: string): Promise<void> {
  const { swarm, servers, plan } = stage;
  const room = await swarm.call('open', servers.parley.address, 1, 'demo');
  const ask = async () => (await askOnce(stage, 'parley', room, { ms: plan.ms, branches: 1 })).p99;
  const idle: number[] = [];
  const busy: number[] = [];
  await ask();
  for (let round = 0; round < plan.rounds; round += 1) {
    idle.push(await ask());
    let isOver = false;
    const replays = (async () => {
      while (!isOver) await swarm.call('replay', servers.parley.address, sessionId, plan.events);
    })();
    busy.push(await ask());
    isOver = true;
    await replays;
  }
  await swarm.call('close', room);
  printTable(
    'W4 another tab, one question after the other (goal: while logs are replayed its p99 is at most 2 x)',
    ['', 'p99 ms, nothing else', 'p99 ms, with replays', 'ratio'],
    [['its questions', show(median(idle)), show(median(busy)), judge(medianRatio(busy, idle), { atMost: 2 })]],
  );
}
