import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RestartLimitMethods } from '../limit/restart.ts';
import type { RestartMethods } from '../parley/restart.ts';
import { Child } from '../process/child.ts';
import { clock } from '../process/clock.ts';
import { median, medianRatio, show } from '../report/stats.ts';
import { judge, printTable } from '../report/table.ts';
import type { Plan } from './stage.ts';

/** The goal for the time until a restarted server is ready. */
const readyMs = 2000;

interface Start {
  /** From opening the store until the server listens. */
  readonly ms: number;
  /** From the start of the process until the server listens. */
  readonly processMs: number;
  /** From the start of the process until every call waits for an answer again. */
  readonly waitingMs: number;
}

/** W7: kills a process with open questions and measures the next one. */
export async function measureRestarts(plan: Plan, dataDir: string): Promise<void> {
  const { sessions, promptsEach } = plan.restart;
  const prompts = sessions * promptsEach;
  const [full, empty] = [join(dataDir, 'restart'), join(dataDir, 'restart-empty')];
  await Promise.all([mkdir(full), mkdir(empty)]);
  await withProgram<RestartMethods, void>('parley/restart.ts', full, (program) =>
    program.call('fill', sessions, promptsEach),
  );
  const limit: number[] = [];
  const idle: Start[] = [];
  const open: Start[] = [];
  for (let round = 0; round <= plan.rounds; round += 1) {
    const raw = await withProgram<RestartLimitMethods, { ms: number }>('limit/restart.ts', full, (program) =>
      program.call('start'),
    );
    const starts = [await start(empty, 0), await start(full, prompts)] as const;
    if (round === 0) continue; // a warm-up for the machine's caches
    limit.push(raw.ms);
    idle.push(starts[0]);
    open.push(starts[1]);
  }
  const of = (results: readonly Start[], name: keyof Start) => results.map((result) => result[name]);
  printTable(
    `W7 start after a kill, process and all (goal: ready in at most ${readyMs} ms)`,
    [
      'open prompts',
      'sessions',
      'limit ms',
      'parley ms',
      'ratio',
      'process, none open, ms',
      'process ms',
      'all calls wait again ms',
    ],
    [
      [
        show(prompts),
        show(sessions),
        show(median(limit)),
        show(median(of(open, 'ms'))),
        show(medianRatio(of(open, 'ms'), limit)),
        show(median(of(idle, 'processMs'))),
        judge(median(of(open, 'processMs')), { atMost: readyMs }),
        show(median(of(open, 'waitingMs'))),
      ],
    ],
  );
}

async function start(dataDir: string, prompts: number): Promise<Start> {
  const begun = clock();
  return withProgram<RestartMethods, Start>('parley/restart.ts', dataDir, async (program) => {
    const { ms, readyAt, waitingAt, open } = await program.call('start', prompts);
    if (open !== prompts) throw new Error(`${open} of ${prompts} prompts were open after the start`);
    return { ms, processMs: readyAt - begun, waitingMs: waitingAt - begun };
  });
}

/** Runs a program for one task; it is killed afterwards. */
async function withProgram<M extends RestartMethods | RestartLimitMethods, Result>(
  path: string,
  dataDir: string,
  work: (program: Child<M>) => Promise<Result>,
): Promise<Result> {
  const program = new Child<M>(path, [dataDir]);
  try {
    return await work(program);
  } finally {
    await program.stop();
  }
}
