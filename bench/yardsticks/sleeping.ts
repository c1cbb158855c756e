import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { RestartLimitMethods } from '../limit/restart.ts';
import type { SleepingMethods } from '../parley/sleeping.ts';
import { type Child, withProgram } from '../process/child.ts';
import { median, show } from '../report/stats.ts';
import { type Cell, judge, printTable } from '../report/table.ts';
import type { Plan } from './stage.ts';

/** The goals for memory per open prompt in bytes, and for a start in ms. */
const bytesEach = 512;
const readyMs = 2000;

/** How many calls are answered of each kind. */
const answers = 50;

/** W12: many calls wait, each in a session of its own, and sleep out of memory. */
export async function measureSleepers(plan: Plan, dataDir: string): Promise<void> {
  const empty = join(dataDir, 'sleeping-0');
  await mkdir(empty);
  const bare = await withServer(empty, async (server) => {
    await server.call('start');
    await server.call('rest');
    return { memory: await server.call('memory'), ...(await server.call('list')) };
  });
  const rows = [];
  for (const prompts of plan.sleeping) rows.push(await measure(prompts, join(dataDir, `sleeping-${prompts}`), bare));
  printTable(
    `W12 calls that sleep (goals: ${bytesEach} bytes each beyond the ${show(bare.memory / 1e6)} MB of a server without any, ready in ${readyMs} ms, an answer at most 2 x that of an awake call)`,
    [
      ...['prompts', 'bytes each', 'reading the rows ms', 'start ms', 'ratio', 'examined after ms', 'connecting ms'],
      ...['page of the inbox ms', 'search ms', 'answer, asleep ms', 'awake ms', 'ratio'],
    ],
    rows,
  );
}

async function measure(prompts: number, dataDir: string, bare: { readonly memory: number }): Promise<Cell[]> {
  await mkdir(dataDir);
  await withServer(dataDir, (server) => server.call('fill', prompts));
  const read = await withProgram<RestartLimitMethods, number>('limit/restart.ts', dataDir, (limit) =>
    limit.call('read'),
  );
  return withServer(dataDir, async (server) => {
    const { ms, open } = await server.call('start');
    if (open !== prompts) throw new Error(`${open} of ${prompts} prompts were open after the start`);
    const rested = await server.call('rest');
    const each = ((await server.call('memory')) - bare.memory) / prompts;
    await server.call('list'); // compiles
    const lists = await server.call('list');
    const { slept, awake } = await server.call('answer', answers);
    return [
      show(prompts),
      judge(each, { atMost: bytesEach }),
      show(read),
      judge(ms, { atMost: readyMs }),
      show(ms / read),
      show(rested),
      ...[lists.welcome, lists.page, lists.search, median(slept), median(awake)].map(show),
      judge(median(slept) / median(awake), { atMost: 2 }),
    ];
  });
}

/** Memory is measured after a collection of garbage, so the process may ask for one. */
function withServer<Result>(
  dataDir: string,
  work: (server: Child<SleepingMethods>) => Promise<Result>,
): Promise<Result> {
  return withProgram('parley/sleeping.ts', dataDir, work, ['--expose-gc']);
}
