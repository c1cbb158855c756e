import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Child } from './process/child.ts';
import { printFdatasync } from './report/fdatasync.ts';
import { notedFigures } from './report/figures.ts';
import { findDeclines, recordRun } from './report/recorded.ts';
import { show } from './report/stats.ts';
import { printTable } from './report/table.ts';
import type { SwarmMethods } from './swarm/main.ts';
import { measureAppends } from './yardsticks/append-throughput.ts';
import { measureInteractions } from './yardsticks/ask-latency.ts';
import { measureStarts } from './yardsticks/cold-start.ts';
import { measureElicitations } from './yardsticks/elicitation.ts';
import { measureCallers } from './yardsticks/http-callers.ts';
import { measureNetwork } from './yardsticks/network.ts';
import { measurePages } from './yardsticks/page-open.ts';
import { measurePostgres } from './yardsticks/postgres.ts';
import { countQuestions } from './yardsticks/question-counts.ts';
import { measureReplays } from './yardsticks/replay.ts';
import { measureRestarts } from './yardsticks/restart.ts';
import { measureSleepers } from './yardsticks/sleeping.ts';
import { fullPlan, quickPlan, type Stage, startServer } from './yardsticks/stage.ts';
import { measureStreams } from './yardsticks/streaming.ts';

// `npm run bench` runs everything; `-- --quick` is a smoke test, `-- w1 w6` runs only some yardsticks.
const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, record: { type: 'boolean' }, check: { type: 'boolean' } },
});
const isWanted = (name: string) => names.length === 0 || names.includes(name);
const plan = flags.quick ? quickPlan : fullPlan;
const dataDir = await mkdtemp(join(tmpdir(), 'parley-bench-'));
const started = performance.now();

async function measureServers(): Promise<void> {
  const servers = { limit: await startServer('limit', dataDir), parley: await startServer('parley', dataDir) };
  const swarm = new Child<SwarmMethods>('swarm/main.ts');
  const stage: Stage = { plan, dataDir, swarm, servers };
  try {
    if (isWanted('w1')) await measureInteractions(stage);
    if (isWanted('w2')) await measureStreams(stage);
    if (isWanted('w4')) await measureReplays(stage);
    if (isWanted('w11')) await measureCallers(stage);
    if (names.includes('network')) await measureNetwork(stage); // only by name: it opens 10,000 sockets
  } finally {
    await Promise.all([swarm.stop(), servers.limit.process.stop(), servers.parley.process.stop()]);
  }
}

console.log(
  `Parley compared with its limits: Node ${process.versions.node}, ${cpus().length} CPUs, medians of ${plan.rounds} rounds.`,
);
try {
  printFdatasync(dataDir);
  if (['w1', 'w2', 'w4', 'w11', 'network'].some(isWanted)) await measureServers();
  if (isWanted('w6')) await measureAppends(plan, dataDir);
  if (isWanted('w7') || names.includes('network')) await measureRestarts(plan, dataDir);
  if (isWanted('w8')) await measurePages(plan, dataDir);
  if (isWanted('w9')) await measureElicitations(plan, dataDir);
  if (isWanted('w10')) await measureStarts(plan, dataDir);
  if (names.includes('w12')) await measureSleepers(plan, dataDir); // only by name: it takes minutes
  if (names.includes('counts')) await countQuestions(dataDir); // only by name: a test runs it
  if (names.includes('postgres')) await measurePostgres(plan, dataDir); // only by name: it installs PostgreSQL
} finally {
  await rm(dataDir, { recursive: true, force: true });
}
console.log(`\n${((performance.now() - started) / 1000).toFixed(0)} s in total.`);

/** The runs of this machine, with which others of it are compared. */
const recorded = 'bench-runs.json';
if (flags.record) console.log(`${recorded} has ${recordRun(recorded, notedFigures())} runs.`);
if (flags.check) {
  const declines = findDeclines(recorded, notedFigures());
  if (declines.length === 0) console.log('Nothing got worse than in the recorded runs by more than these differ.');
  else
    printTable(
      'Worse than in each recorded run',
      ['', 'recorded', 'runs', 'this run'],
      declines.map(({ name, best, worst, runs, value }) => [
        name,
        `${show(best)} to ${show(worst)}`,
        show(runs),
        show(value),
      ]),
    );
  process.exitCode = declines.length === 0 ? 0 : 1;
}
