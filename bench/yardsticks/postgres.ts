import postgres from 'postgres';
import { PostgresServer } from '../../plugins/postgres/test/support/postgres-server.ts';
import { installPostgres } from '../../scripts/install.mjs';
import { createEvents } from '../limit/postgres-log.ts';
import type { AppendReport } from '../process/append-run.ts';
import { Child } from '../process/child.ts';
import { median, medianRatio, show } from '../report/stats.ts';
import { type Cell, judge, printTable } from '../report/table.ts';
import type { SwarmMethods } from '../swarm/main.ts';
import { askOnce, measureInteractions } from './ask-latency.ts';
import { type Plan, repeat, type Server, type Side, type Stage, sides, startServer } from './stage.ts';

type AppendMethods = { run(sessions: number, ms: number): Promise<AppendReport> };

/** One program alone, or two at the same time. */
type Variant = `${Side} ${'one' | 'two'}`;

/** The number of tabs of each node when two nodes are compared with one. */
const tabsEach = 10;

/**
 * W1 and W6 on PostgreSQL with durable commits, compared with a program that only does the same inserts; and two nodes with one.
 */
export async function measurePostgres(plan: Plan, dataDir: string): Promise<void> {
  process.env.PARLEY_POSTGRES ??= await installPostgres();
  const server = await PostgresServer.create();
  try {
    await server.start(['fsync=on', 'shared_buffers=128MB']);
    const databases = { limit: await createDatabase(server, 'bare'), parley: await createDatabase(server, 'parley') };
    await measureQuestions(plan, dataDir, databases);
    await createTable(databases.limit);
    await measureAppends(plan, dataDir, databases);
  } finally {
    await server.remove();
  }
}

async function createDatabase(server: PostgresServer, name: string): Promise<string> {
  await query(server.urlOf('postgres'), `create database ${name}`);
  return server.urlOf(name);
}

/** Replaces the table that the limit of W1 has created, which has other rows. */
async function createTable(database: string): Promise<void> {
  await query(database, `drop table events; ${createEvents}`);
}

async function query(database: string, statements: string): Promise<void> {
  const sql = postgres(database, { max: 1, onnotice: () => undefined });
  await sql.unsafe(statements);
  await sql.end();
}

async function measureQuestions(plan: Plan, dataDir: string, databases: Record<Side, string>): Promise<void> {
  const start = (side: Side) => startServer(side, dataDir, databases[side]);
  const servers = { limit: await start('limit'), parley: await start('parley') };
  const second = await start('parley');
  const swarm = new Child<SwarmMethods>('swarm/main.ts');
  const stage: Stage = { plan: { ...plan, tabs: plan.tabs.slice(0, 3) }, dataDir, swarm, servers };
  try {
    await measureInteractions(stage, ' on PostgreSQL');
    await compareNodes(stage, second);
  } finally {
    await Promise.all(
      [swarm, servers.limit.process, servers.parley.process, second.process].map((each) => each.stop()),
    );
  }
}

/** Compares two nodes with one; each node has its own session and tabs. */
async function compareNodes(stage: Stage, second: Server): Promise<void> {
  const { plan, swarm, servers } = stage;
  const stages = [servers.parley, second].map((parley) => ({ ...stage, servers: { ...servers, parley } }));
  const rooms = await Promise.all(
    stages.map(({ servers: { parley } }) => swarm.call('open', parley.address, tabsEach, 'demo')),
  );
  const run = (n: number) =>
    askOnce(stages[n] as Stage, 'parley', rooms[n] as number, { ms: plan.ms, branches: 64 }).then(
      ({ perSecond }) => perSecond,
    );
  const rates = await repeat(plan.rounds, async () => {
    const alone = await run(0);
    const [first, other] = await Promise.all([run(0), run(1)]);
    return { one: alone, two: first + other };
  });
  const [one, two] = [rates.map((rate) => rate.one), rates.map((rate) => rate.two)];
  for (const room of rooms) await swarm.call('close', room);
  printTable(
    `W1 with 64 on two nodes of one PostgreSQL, ${tabsEach} tabs each`,
    ['one node /s', 'two nodes /s', 'ratio'],
    [[show(median(one)), show(median(two)), show(medianRatio(two, one))]],
  );
}

async function measureAppends(plan: Plan, dataDir: string, databases: Record<Side, string>): Promise<void> {
  const makeLimit = (firstKey: number) =>
    new Child<AppendMethods>('limit/postgres-append.ts', [databases.limit, String(firstKey)]);
  const makeParley = () => new Child<AppendMethods>('parley/append.ts', [dataDir, databases.parley]);
  const programs: Record<Side, readonly Child<AppendMethods>[]> = {
    limit: [makeLimit(0), makeLimit(1_000_000)],
    parley: [makeParley(), makeParley()],
  };
  const measure = async (variant: Variant, sessions: number): Promise<AppendReport> => {
    const [side, count] = variant.split(' ') as [Side, 'one' | 'two'];
    const those = programs[side].slice(0, count === 'one' ? 1 : 2);
    const reports = await Promise.all(those.map((program) => program.call('run', sessions, plan.ms)));
    const sum = reports.reduce((total, { perSecond }) => total + perSecond, 0);
    return { perSecond: sum, cpuEach: median(reports.map(({ cpuEach }) => cpuEach)) };
  };
  const rows: Cell[][] = [];
  try {
    for (const sessions of plan.sessions.filter((count) => count <= 100)) {
      const rounds = await repeat(plan.rounds, async () => ({
        'limit one': await measure('limit one', sessions),
        'limit two': await measure('limit two', sessions),
        'parley one': await measure('parley one', sessions),
        'parley two': await measure('parley two', sessions),
      }));
      const of = (variant: Variant, name: keyof AppendReport) => rounds.map((round) => round[variant][name]);
      rows.push([
        show(sessions),
        ...sides.map((side) => show(median(of(`${side} one`, 'perSecond')))),
        judge(medianRatio(of('parley one', 'perSecond'), of('limit one', 'perSecond')), { atLeast: 0.5 }),
        ...sides.map((side) => show(median(of(`${side} one`, 'cpuEach')))),
        ...sides.map((side) => show(medianRatio(of(`${side} two`, 'perSecond'), of(`${side} one`, 'perSecond')))),
      ]);
    }
  } finally {
    await Promise.all([...programs.limit, ...programs.parley].map((program) => program.stop()));
  }
  printTable(
    'W6 on PostgreSQL: appends of 400 bytes, 100 a transaction, decided and folded (goal: at least 0.5 x), and two programs at the same time',
    ['sessions', 'limit /s', 'parley /s', 'ratio', 'limit CPU µs', 'parley CPU µs', 'two limits', 'two nodes'],
    rows,
  );
}
