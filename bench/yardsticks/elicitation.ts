import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpLimitMethods } from '../limit/mcp.ts';
import type { McpServerMethods } from '../parley/mcp.ts';
import type { AskReport } from '../process/ask-run.ts';
import { Child } from '../process/child.ts';
import { median, medianRatio, show } from '../report/stats.ts';
import { type Cell, judge, printTable } from '../report/table.ts';
import type { SwarmMethods } from '../swarm/main.ts';
import { type Plan, repeat } from './stage.ts';

const asking = fileURLToPath(new URL('../mcp/asking-server.mjs', import.meta.url));
const goal = { atMost: 1.3 };
const ways = ['stdio', 'http'] as const;

/** The medians of one round, in ms. */
interface Round {
  /** From one question of an MCP server to its next, with the SDK alone. */
  readonly sdk: number;
  /** A question of one of Parley's own tools, as in W1. */
  readonly question: number;
  /** From one question of an MCP server to its next, each stored and answered in a tab. */
  readonly parley: number;
}

/** W9: an MCP server asks and one tab answers immediately, compared with the sum of the SDK alone and W1. */
export async function measureElicitations(plan: Plan, dataDir: string): Promise<void> {
  const folder = join(dataDir, 'mcp');
  await mkdir(folder);
  const http = spawn(process.execPath, [asking, 'http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = `http://127.0.0.1:${await readPort(http)}/mcp`;
  const limit = new Child<McpLimitMethods>('limit/mcp.ts', [asking, url]);
  const parley = new Child<McpServerMethods>('parley/mcp.ts', [folder, asking, url]);
  const swarm = new Child<SwarmMethods>('swarm/main.ts');
  try {
    const room = await swarm.call('open', await parley.call('listen'), 1, 'demo');
    const elicit = async (way: (typeof ways)[number]) => {
      await swarm.call('say', room, `/call ${way}__ask {"count":${plan.elicitations}}`);
      const asked = await swarm.call('take', room, 'interaction_request', plan.elicitations);
      await swarm.call('take', room, 'interaction_response', plan.elicitations);
      await swarm.call('take', room, 'assistant_done', 1);
      return medianStep(asked);
    };
    const ask = async () => {
      await swarm.call('say', room, `/call bench_ask {"ms":${plan.ms},"branches":1}`, true);
      const { asked } = (await parley.call('report')) as AskReport;
      await swarm.call('take', room, 'interaction_request', asked.length);
      await swarm.call('take', room, 'interaction_response', asked.length);
      await swarm.call('take', room, 'assistant_done', 1);
      return medianStep(asked);
    };
    const rows: Cell[][] = [];
    for (const way of ways) {
      const rounds = await repeat(plan.rounds, async () => ({
        sdk: medianStep(await limit.call('ask', way, plan.elicitations)),
        question: await ask(),
        parley: await elicit(way),
      }));
      rows.push(rowOf(way, rounds));
    }
    printTable(
      `W9 an MCP server's question answered in a tab (goal: at most ${goal.atMost} x what the SDK and a question of W1 take)`,
      ['transport', 'SDK ms', 'W1 ms', 'parley ms', 'ratio'],
      rows,
    );
  } finally {
    http.kill();
    await Promise.all([limit.stop(), parley.stop(), swarm.stop()]);
  }
}

function rowOf(way: string, rounds: readonly Round[]): Cell[] {
  const pick = (name: keyof Round) => rounds.map((round) => round[name]);
  const least = rounds.map(({ sdk, question }) => sdk + question);
  const medians = [pick('sdk'), pick('question'), pick('parley')].map((values) => show(median(values)));
  return [way, ...medians, judge(medianRatio(pick('parley'), least), goal)];
}

/** Returns the median time between two questions. */
function medianStep(times: Float64Array): number {
  return median(times.subarray(1).map((time, index) => time - (times[index] as number)));
}

async function readPort({ stdout }: ChildProcess): Promise<number> {
  if (!stdout) throw new Error('the MCP server has no output');
  const [line] = (await once(stdout, 'data')) as [Buffer];
  return Number(line.toString());
}
