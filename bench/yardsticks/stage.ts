import type { ServerMethods } from '../limit/main.ts';
import { Child } from '../process/child.ts';
import type { SwarmMethods } from '../swarm/main.ts';

/** The size of each measurement. */
export interface Plan {
  readonly rounds: number;
  /** Duration of one run in ms. */
  readonly ms: number;
  readonly tabs: readonly number[];
  readonly streams: readonly { readonly perSecond: number; readonly tabs: number }[];
  readonly events: number;
  readonly sessions: readonly number[];
  /** The number of questions of an MCP server in one run. */
  readonly elicitations: number;
  readonly restart: { readonly sessions: number; readonly promptsEach: number };
  /** How many calls sleep. */
  readonly sleeping: readonly number[];
  readonly network: {
    /** How many tabs have bad connections, how many events they read, and how far these are apart. */
    readonly tabs: number;
    readonly written: number;
    readonly everyMs: number;
    /** How many tabs reconnect at once, and how many do nothing. */
    readonly storm: number;
    readonly idle: number;
  };
  readonly page: {
    readonly events: number;
    /** The number of events that are read upwards from the end. */
    readonly upwards: number;
    readonly fields: number;
    readonly keys: number;
  };
}

export const fullPlan: Plan = {
  rounds: 5,
  ms: 400,
  tabs: [1, 10, 100, 1000],
  streams: [
    { perSecond: 1000, tabs: 10 },
    { perSecond: 200, tabs: 100 },
    { perSecond: 100, tabs: 1000 },
  ],
  events: 10_000,
  sessions: [1, 100, 10_000],
  elicitations: 100,
  restart: { sessions: 200, promptsEach: 5 },
  sleeping: [10_000, 100_000],
  network: { tabs: 100, written: 400, everyMs: 5, storm: 5000, idle: 10_000 },
  page: { events: 10_187, upwards: 2000, fields: 200, keys: 20 },
};

export const quickPlan: Plan = {
  rounds: 1,
  ms: 150,
  tabs: [1, 10],
  streams: [{ perSecond: 100, tabs: 10 }],
  events: 1000,
  sessions: [1, 100],
  elicitations: 20,
  restart: { sessions: 10, promptsEach: 5 },
  sleeping: [200],
  network: { tabs: 5, written: 20, everyMs: 5, storm: 20, idle: 20 },
  page: { events: 600, upwards: 200, fields: 20, keys: 3 },
};

export const sides = ['limit', 'parley'] as const;
export type Side = (typeof sides)[number];

export interface Address {
  readonly port: number;
  readonly turnstile: number;
}

export interface Server {
  readonly process: Child<ServerMethods & { epoch(): string }>;
  readonly address: Address;
}

/** Both servers and the swarm, each in a separate process. */
export interface Stage {
  readonly plan: Plan;
  readonly dataDir: string;
  readonly swarm: Child<SwarmMethods>;
  readonly servers: Readonly<Record<Side, Server>>;
}

/** Starts a server. @param database - a PostgreSQL database, in place of a file */
export async function startServer(side: Side, dataDir: string, ...database: string[]): Promise<Server> {
  const args = [dataDir, ...database];
  const process = new Child<ServerMethods & { epoch(): string }>(`${side}/main.ts`, args, ['--expose-gc']);
  return { process, address: await process.call('listen') };
}

export async function openRooms(stage: Stage, tabs: number, agent: string): Promise<Record<Side, number>> {
  const { swarm, servers } = stage;
  return {
    limit: await swarm.call('open', servers.limit.address, tabs, agent),
    parley: await swarm.call('open', servers.parley.address, tabs, agent),
  };
}

export async function closeRooms({ swarm }: Stage, rooms: Record<Side, number>): Promise<void> {
  await swarm.call('close', rooms.limit);
  await swarm.call('close', rooms.parley);
}

/** Measures once as a warm-up, in which code is compiled and caches are filled, and then `rounds` times. */
export async function repeat<Result>(rounds: number, measure: () => Promise<Result>): Promise<Result[]> {
  await measure();
  const results: Result[] = [];
  while (results.length < rounds) results.push(await measure());
  return results;
}

/** Measures both sides alternately, as {@link repeat}. */
export async function interleave<Result>(
  rounds: number,
  measure: (side: Side) => Promise<Result>,
): Promise<Record<Side, Result[]>> {
  const pairs = await repeat(rounds, async () => ({ limit: await measure('limit'), parley: await measure('parley') }));
  return { limit: pairs.map(({ limit }) => limit), parley: pairs.map(({ parley }) => parley) };
}
