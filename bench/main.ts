import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './process/child.ts';
import { printFdatasync } from './report/fdatasync.ts';
import type { SwarmMethods } from './swarm/main.ts';
import { measureAppends } from './yardsticks/append-throughput.ts';
import { measureInteractions } from './yardsticks/ask-latency.ts';
import { measureStarts } from './yardsticks/cold-start.ts';
import { measureElicitations } from './yardsticks/elicitation.ts';
import { measureCallers } from './yardsticks/http-callers.ts';
import { measurePages } from './yardsticks/page-open.ts';
import { measurePostgres } from './yardsticks/postgres.ts';
import { countQuestions } from './yardsticks/question-counts.ts';
import { measureReplays } from './yardsticks/replay.ts';
import { measureRestarts } from './yardsticks/restart.ts';
import { measureSleepers } from './yardsticks/sleeping.ts';
import { fullPlan, quickPlan, type Stage, startServer } from './yardsticks/stage.ts';
import { measureStreams } from './yardsticks/streaming.ts';

// `npm run bench` runs everything; `-- --quick` is a smoke test, `-- w1 w6` runs only some yardsticks.
const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith('--'));
const isWanted = (name: string) => names.length === 0 || names.includes(name);
const plan = args.includes('--quick') ? quickPlan : fullPlan;
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
  } finally {
    await Promise.all([swarm.stop(), servers.limit.process.stop(), servers.parley.process.stop()]);
  }
}

console.log(
  `Parley compared with its limits: Node ${process.versions.node}, ${cpus().length} CPUs, medians of ${plan.rounds} rounds.`,
);
try {
  printFdatasync(dataDir);
  if (['w1', 'w2', 'w4', 'w11'].some(isWanted)) await measureServers();
  if (isWanted('w6')) await measureAppends(plan, dataDir);
  if (isWanted('w7')) await measureRestarts(plan, dataDir);
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
