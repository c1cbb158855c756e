import type { Work } from '../parley/work-counter.ts';
import type { AskReport, AskSpec } from '../process/ask-run.ts';
import { Child } from '../process/child.ts';
import { median } from '../report/stats.ts';
import { printTable } from '../report/table.ts';
import type { SwarmMethods } from '../swarm/main.ts';
import { startServer } from './stage.ts';

const cases = [
  { name: 'serial, 1 tab', tabs: 1, branches: 1, most: 90 },
  { name: 'serial, 10 tabs', tabs: 10, branches: 1, most: 90 },
  { name: '64 open, 1 tab', tabs: 1, branches: 64, most: 1280 },
  { name: '64 open, 10 tabs', tabs: 10, branches: 64, most: 1280 },
];

/** Counts what Parley does for one question, asked and answered: numbers that do not depend on the machine. */
export async function countQuestions(dataDir: string): Promise<void> {
  const server = await startServer('parley', dataDir);
  const swarm = new Child<SwarmMethods>('swarm/main.ts');
  try {
    const columns: Work[] = [];
    for (const { tabs, branches, most } of cases) {
      const room = await swarm.call('open', server.address, tabs, 'demo');
      const ask = async (spec: Partial<AskSpec>) => {
        const text = JSON.stringify({ ms: 60_000, branches, most, ...spec });
        await swarm.call('say', room, `/call bench_ask ${text}`, branches === 1);
        const report = (await server.process.call('report')) as AskReport & { work: Work[] };
        await swarm.call('take', room, 'assistant_done', 1);
        return report.work;
      };
      await ask({ most: 110 }); // what is done once is not counted; later numbers have three digits
      const marks = await ask({ isCounted: true });
      columns.push(branches === 1 ? undisturbed(marks) : mean(marks.slice(branches))); // from where all are open
      await swarm.call('close', room);
    }
    const names = Object.keys(columns[0] as Work) as (keyof Work)[];
    const rows = names.map((name) => [name, ...columns.map((work) => String(Number(work[name].toFixed(2))))]);
    printTable('Counts per question', ['', ...cases.map(({ name }) => name)], rows);
  } finally {
    await Promise.all([swarm.stop(), server.process.stop()]);
  }
}

/** The work of most questions during which no timer ran or was added, such as that of the list of sessions. */
function undisturbed(marks: readonly Work[]): Work {
  const each = marks.slice(1).map((mark, n) => compute((name) => mark[name] - (marks[n] as Work)[name], marks));
  const idle = each.filter((work) => work['timers run'] === 0);
  const timers = Math.min(...idle.map(({ setTimeout }) => setTimeout));
  const quiet = idle.filter(({ setTimeout }) => setTimeout === timers);
  return compute((name) => median(quiet.map((work) => work[name])), marks);
}

function mean(marks: readonly Work[]): Work {
  const [first, last] = [marks[0] as Work, marks.at(-1) as Work];
  return compute((name) => (last[name] - first[name]) / (marks.length - 1), marks);
}

function compute(read: (name: keyof Work) => number, [{ ...work }]: readonly Work[]): Work {
  for (const name of Object.keys(work) as (keyof Work)[]) work[name] = read(name);
  return work;
}
