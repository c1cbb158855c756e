import { median } from '../report/stats.ts';
import { type Cell, judge, printTable } from '../report/table.ts';
import type { Question } from '../swarm/http-caller.ts';
import { Comparison } from './comparison.ts';
import { closeRooms, interleave, type Stage } from './stage.ts';

const tabs = 10;
const goal = { atMost: 1.5 };

/** A program that asks by HTTP, and the channel of its session. */
interface Caller {
  readonly name: string;
  readonly channel: string;
  readonly question: Omit<Question, 'port'>;
}

const hook = {
  hook_event_name: 'PermissionRequest',
  session_id: 'bench',
  cwd: '/bench',
  tool_name: 'Bash',
  tool_input: { command: 'rm -rf build' },
};
const askHuman = { name: 'ask_human', arguments: { question: 'Go on?' } };

const callers: readonly Caller[] = [
  {
    name: "a hook's PermissionRequest",
    channel: 'claude:bench',
    question: { path: '/hooks/claude', body: JSON.stringify(hook), answer: '"allow"' },
  },
  {
    name: "MCP's ask_human",
    channel: 'mcp:MCP-client',
    question: {
      path: '/mcp',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: askHuman }),
      answer: '"structuredContent":{"ok":true',
    },
  },
];
const limitQuestion = { path: '/ask', body: '{"question":"Go on?"}', answer: '"ok":true' };

/** W11: the time from a request that asks people until the last tab shows it, and from the answer until the response arrives. */
export async function measureCallers(stage: Stage): Promise<void> {
  const { plan, swarm, servers } = stage;
  const rows: Cell[][] = [];
  for (const { name, channel, question } of callers) {
    const { limit, parley } = servers;
    const sessionId = await begin(parley.address.port, channel);
    const rooms = {
      limit: await swarm.call('open', limit.address, tabs, 'demo'),
      parley: await swarm.call('join', parley.address, tabs, sessionId),
    };
    const questions = { limit: limitQuestion, parley: question };
    const times = await interleave(plan.rounds, async (side) => {
      const asked = { ...questions[side], port: servers[side].address.port };
      const { shown, told } = await swarm.call('ask', rooms[side], asked, plan.ms);
      return { shown: median(shown), told: median(told) };
    });
    await closeRooms(stage, rooms);
    const compared = new Comparison(times);
    const columns = (figure: 'shown' | 'told') => [...compared.medians(figure), judge(compared.ratio(figure), goal)];
    rows.push([name, ...columns('shown'), ...columns('told')]);
  }
  printTable(
    `W11 asked by HTTP, ${tabs} tabs: until the last tab shows it, and from the answer to the last byte of the response (goal: p50 at most ${goal.atMost} x)`,
    [
      'caller',
      ...['limit shown ms', 'parley shown ms', 'ratio, shown'],
      ...['limit response ms', 'parley response ms', 'ratio, response'],
    ],
    rows,
  );
}

/** Creates the session of a channel by a call that needs no answer. @returns its id */
async function begin(port: number, channel: string): Promise<string> {
  const body = JSON.stringify({ channel, toolName: 'tell_human', args: { text: 'The benchmark begins.' } });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${port}/api/calls?wait=10`, { method: 'POST', headers, body });
  const { sessionId } = (await response.json()) as { sessionId: string };
  return sessionId;
}
