import { clock, cpu } from './clock.ts';

/** The number of appends that share a transaction. */
const groupSize = 100;

export interface AppendReport {
  readonly perSecond: number;
  /** Microseconds of CPU. */
  readonly cpuEach: number;
}

/** Appends in groups, round robin over the sessions, and awaits each group. */
export async function runAppends<Session>(
  sessions: readonly Session[],
  ms: number,
  appendAll: (group: readonly Session[]) => unknown,
): Promise<AppendReport> {
  const cpuBefore = cpu();
  const start = clock();
  let rows = 0;
  while (clock() < start + ms) {
    const group = Array.from({ length: groupSize }, (_, n) => sessions[(rows + n) % sessions.length] as Session);
    await appendAll(group);
    rows += groupSize;
  }
  return { perSecond: (rows * 1000) / (clock() - start), cpuEach: (cpu() - cpuBefore) / rows };
}
