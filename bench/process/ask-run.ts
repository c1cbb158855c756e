import { clock, cpu } from './clock.ts';
import type { Turnstile } from './turnstile.ts';

/** The parameters of a run of questions. */
export interface AskSpec {
  readonly ms: number;
  /** How many questions are open at once; with one, the run is serial and waits for the last tab each time. */
  readonly branches: number;
  /** Ends the run after this many questions. */
  readonly most?: number;
  /** Whether Parley counts its work, at the beginning of each question. */
  readonly isCounted?: boolean;
}

/** The times in ms at which each question was asked and its tool continued, and the server's CPU time meanwhile in µs. */
export interface AskReport {
  readonly asked: Float64Array;
  readonly resolved: Float64Array;
  readonly cpu: number;
}

/** The same loop for both servers; only `ask` differs. */
export async function runAsks(
  { ms, branches, most = Number.POSITIVE_INFINITY }: AskSpec,
  turnstile: Turnstile,
  ask: (n: number) => Promise<unknown>,
): Promise<AskReport> {
  const asked: number[] = [];
  const resolved: number[] = [];
  turnstile.reset();
  const cpuBefore = cpu();
  const end = clock() + ms;
  const branch = async () => {
    while (clock() < end && asked.length < most) {
      const n = asked.push(clock()) - 1;
      await ask(n);
      resolved[n] = clock();
      if (branches === 1) await turnstile.pass();
    }
  };
  await Promise.all(Array.from({ length: branches }, branch));
  return { asked: Float64Array.from(asked), resolved: Float64Array.from(resolved), cpu: cpu() - cpuBefore };
}
