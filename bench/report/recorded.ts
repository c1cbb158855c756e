import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import type { Judged } from './figures.ts';
import { median } from './stats.ts';

/** Runs that were recorded, each with its figures by name. */
interface Recorded {
  /** Ratios of another machine say nothing about this one. */
  readonly machine: string;
  readonly runs: readonly Readonly<Record<string, number>>[];
}

/** A figure that is worse than in every recorded run, by more than these runs differ. */
export interface Decline {
  readonly name: string;
  readonly value: number;
  readonly best: number;
  readonly worst: number;
  readonly runs: number;
}

/** The least difference that is not taken for noise, as a share of the recorded median. */
const leastNoise = 0.1;

const machine = `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} CPUs`;

/** Adds a run to a file. @returns how many it has */
export function recordRun(path: string, figures: ReadonlyMap<string, Judged>): number {
  const runs = [...readRuns(path), Object.fromEntries(Array.from(figures, ([name, { value }]) => [name, value]))];
  writeFileSync(path, `${JSON.stringify({ machine, runs } satisfies Recorded, null, 2)}\n`);
  return runs.length;
}

/** Finds what got worse since the runs of a file. @throws Error if there are none of this machine */
export function findDeclines(path: string, figures: ReadonlyMap<string, Judged>): readonly Decline[] {
  const runs = readRuns(path);
  if (runs.length === 0) throw new Error(`${path} has no runs: record some with --record.`);
  return compareRuns(runs, figures);
}

/** The comparison on values: see {@link Decline}. Figures that were never recorded are left out. */
export function compareRuns(runs: Recorded['runs'], figures: ReadonlyMap<string, Judged>): readonly Decline[] {
  return Array.from(figures).flatMap(([name, { value, goal }]) => {
    const before = runs.map((run) => run[name]).filter((figure) => figure !== undefined);
    if (before.length === 0) return [];
    const [least, most] = [Math.min(...before), Math.max(...before)];
    const noise = Math.max(most - least, leastNoise * median(before));
    const isLowBetter = 'atMost' in goal;
    const [best, worst] = isLowBetter ? [least, most] : [most, least];
    const isWorse = isLowBetter ? value > worst + noise : value < worst - noise;
    return isWorse ? [{ name, value, best, worst, runs: before.length }] : [];
  });
}

function readRuns(path: string): Recorded['runs'] {
  if (!existsSync(path)) return [];
  const recorded = JSON.parse(readFileSync(path, 'utf8')) as Recorded;
  if (recorded.machine === machine) return recorded.runs;
  throw new Error(
    `${path} was recorded on another machine (${recorded.machine}), with which this one does not compare.`,
  );
}
