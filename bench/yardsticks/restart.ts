import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RestartLimitMethods } from '../limit/restart.ts';
import type { RestartMethods } from '../parley/restart.ts';
import { withProgram } from '../process/child.ts';
import { clock } from '../process/clock.ts';
import { median, medianRatio, show } from '../report/stats.ts';
import { judge, printTable } from '../report/table.ts';
import { type Plan, repeat } from './stage.ts';

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
  const rounds = await repeat(plan.rounds, async () => ({
    limit: await withProgram<RestartLimitMethods, { ms: number }>('limit/restart.ts', full, (program) =>
      program.call('start'),
    ),
    idle: await start(empty, 0),
    open: await start(full, prompts),
  }));
  const limit = rounds.map((round) => round.limit.ms);
  const open = (name: keyof Start) => rounds.map((round) => round.open[name]);
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
        show(median(open('ms'))),
        show(medianRatio(open('ms'), limit)),
        show(median(rounds.map(({ idle }) => idle.processMs))),
        judge(median(open('processMs')), { atMost: readyMs }),
        show(median(open('waitingMs'))),
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
