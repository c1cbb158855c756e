import { median, quantile, show } from '../report/stats.ts';
import { type Cell, judge, printTable } from '../report/table.ts';
import type { Place } from '../swarm/shaky-tab.ts';
import { Comparison } from './comparison.ts';
import { interleave, type Side, type Stage, sides } from './stage.ts';

/** What bad networks and many tabs cost. All tabs of a table are on one session. */
export async function measureNetwork(stage: Stage): Promise<void> {
  await measureShakyTabs(stage);
  await measureStorm(stage);
  await measureIdleTabs(stage);
}

/** The events of a session before it is measured. */
const events = 1000;

async function makePlaces({ servers }: Stage): Promise<Record<Side, Place>> {
  const epoch = await servers.parley.process.call('epoch');
  const place = async (side: Side): Promise<Place> => {
    const { process, address } = servers[side];
    return { port: address.port, sessionId: await process.call('fill', events), epoch };
  };
  return { limit: await place('limit'), parley: await place('parley') };
}

/** Tabs whose connections are away three tenths of the time read what is written meanwhile. */
async function measureShakyTabs(stage: Stage): Promise<void> {
  const { plan, swarm, servers } = stage;
  const { tabs, written, everyMs } = plan.network;
  const places = await makePlaces(stage);
  const seqs = { limit: events, parley: events };
  const lost = { limit: 0, parley: 0 };
  const results = await interleave(plan.rounds, async (side) => {
    const { process } = servers[side];
    const from = seqs[side];
    seqs[side] += written;
    const cpuBefore = await process.call('cpu');
    await swarm.call('read', places[side], tabs, from);
    await process.call('trickle', places[side].sessionId, written, everyMs);
    const readings = await swarm.call('finish', seqs[side]);
    const catchUps = readings.flatMap((reading) => reading.catchUps);
    lost[side] += readings.reduce((sum, reading) => sum + reading.lost + reading.doubled, 0);
    const cpu = (await process.call('cpu')) - cpuBefore;
    return { p50: quantile(catchUps, 0.5), p99: quantile(catchUps, 0.99), cpuEach: cpu / catchUps.length };
  });
  const compared = new Comparison(results);
  printTable(
    `W5 connections that are away 30 % of the time, ${tabs} tabs, one event every ${everyMs} ms (goals: no event lost or doubled; from connecting until live, and the server's CPU for each time, at most ${goal.atMost} x)`,
    [
      ...['', 'lost or doubled, of the limit', 'of Parley', 'limit p50 ms', 'parley p50 ms', 'ratio, p50'],
      ...['limit p99 ms', 'parley p99 ms', 'limit CPU µs', 'parley CPU µs', 'ratio, CPU'],
    ],
    [
      [
        'catching up',
        ...sides.map((side) => show(lost[side])),
        ...compared.medians('p50'),
        judge(compared.ratio('p50'), goal),
        ...compared.medians('p99'),
        ...compared.medians('cpuEach'),
        judge(compared.ratio('cpuEach'), goal),
      ],
    ],
  );
  if (lost.parley > 0) throw new Error(`${lost.parley} events were lost or doubled.`);
}

const goal = { atMost: 2 };

/** How many events a tab has missed when it reconnects. */
const missed = 100;

/** All connections break off at once, and all tabs come back at once. */
async function measureStorm(stage: Stage): Promise<void> {
  const { plan, swarm, servers } = stage;
  const { storm } = plan.network;
  const places = await makePlaces(stage);
  const rooms = {
    limit: await swarm.call('join', servers.limit.address, storm, places.limit.sessionId),
    parley: await swarm.call('join', servers.parley.address, storm, places.parley.sessionId),
  };
  const results = await interleave(plan.rounds, async (side) => {
    const { process } = servers[side];
    const cpuBefore = await process.call('cpu');
    const times = await swarm.call('reconnect', rooms[side], places[side], events - missed);
    const cpu = (await process.call('cpu')) - cpuBefore;
    return { p50: median(times), last: quantile(times, 1), cpuEach: cpu / storm };
  });
  for (const side of sides) await swarm.call('close', rooms[side]);
  const compared = new Comparison(results);
  printTable(
    `W5 a storm: ${show(storm)} tabs reconnect at once, each ${missed} events behind (goal: at most ${goal.atMost} x)`,
    [
      ...['', 'limit p50 ms', 'parley p50 ms', 'limit last ms', 'parley last ms', 'ratio, last'],
      ...['limit CPU µs', 'parley CPU µs', 'ratio, CPU'],
    ],
    [
      [
        'all live',
        ...compared.medians('p50'),
        ...compared.medians('last'),
        judge(compared.ratio('last'), goal),
        ...compared.medians('cpuEach'),
        judge(compared.ratio('cpuEach'), goal),
      ],
    ],
  );
}

/** Tabs that are open and do nothing. */
async function measureIdleTabs(stage: Stage): Promise<void> {
  const { plan, swarm, servers } = stage;
  const { idle } = plan.network;
  const places = await makePlaces(stage);
  const measure = async (side: Side): Promise<number> => {
    const { process, address } = servers[side];
    const before = await process.call('memory');
    const room = await swarm.call('join', address, idle, places[side].sessionId);
    const after = await process.call('memory');
    await swarm.call('close', room);
    return (after - before) / idle;
  };
  const row: Cell[] = ['an idle tab'];
  const each = { limit: await measure('limit'), parley: await measure('parley') };
  row.push(show(each.limit / 1000), show(each.parley / 1000), judge(each.parley / each.limit, goal));
  printTable(
    `W3 memory of ${show(idle)} idle tabs, measured once (goal: at most ${goal.atMost} x)`,
    ['', 'limit kB', 'parley kB', 'ratio'],
    [row],
  );
}
