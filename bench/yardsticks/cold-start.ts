import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clock } from '../process/clock.ts';
import { median, medianRatio, show } from '../report/stats.ts';
import { judge, printTable } from '../report/table.ts';
import { type Plan, repeat } from './stage.ts';

const parley = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
const bareServer = fileURLToPath(new URL('../limit/start.mjs', import.meta.url));

/** Goals for a command relative to Node alone, and for a server relative to a minimal one. */
const exitGoal = { atMost: 2 };
const readyGoal = { atMost: 1.5 };

/** W10: the time until a command has ended or has contacted its server, and until a server is ready. */
export async function measureStarts(plan: Plan, dataDir: string): Promise<void> {
  const runs = await repeat(plan.rounds, () => measureRound(join(dataDir, 'start')));
  const row = (command: keyof Run, limit: keyof Run, goal: { atMost: number }) => {
    const [own, least] = [runs.map((run) => run[command]), runs.map((run) => run[limit])];
    return [command, show(median(least)), show(median(own)), judge(medianRatio(own, least), goal)];
  };
  printTable(
    `W10 start (goal: a command ≤ ${exitGoal.atMost} x node -e 0, a server ready ≤ ${readyGoal.atMost} x a bare one)`,
    ['command', 'limit ms', 'parley ms', 'ratio'],
    [
      row('--version', 'node', exitGoal),
      row('--help', 'node', exitGoal),
      row('ask', 'node', exitGoal),
      row('serve', 'bare server', readyGoal),
    ],
  );
}

type Run = Readonly<Record<'node' | '--version' | '--help' | 'ask' | 'bare server' | 'serve', number>>;

async function measureRound(folder: string): Promise<Run> {
  await mkdir(folder);
  const flags = ['--json', '--no-auth', '--port', '0', '--log-level', 'error', '--data-dir', join(folder, 'parley')];
  const run = {
    node: await timeExit('-e', '0'),
    '--version': await timeExit(parley, '--version'),
    '--help': await timeExit(parley, '--help'),
    ask: await timeFirstByte(folder),
    'bare server': await timeReady(bareServer, folder),
    serve: await timeReady(parley, 'serve', ...flags),
  };
  await rm(folder, { recursive: true });
  return run;
}

/** Measures the milliseconds until a Node process with these arguments has ended. */
async function timeExit(...args: string[]): Promise<number> {
  const begun = clock();
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`node ${args.join(' ')} ended with ${code}`);
  return clock() - begun;
}

/** Measures the milliseconds until `parley ask` has sent its first byte. */
async function timeFirstByte(folder: string): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const flags = ['--port', String(port), '--token', 'parley_of_the_benchmark', '--data-dir', folder];
  const begun = clock();
  const child = spawn(process.execPath, [parley, 'ask', 'Well?', ...flags], { cwd: folder, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const heard = once(server, 'connection').then(([socket]) => once(socket, 'data').then(() => clock() - begun));
  const ms = await Promise.race([heard, exited.then(() => undefined)]);
  if (ms === undefined) throw new Error('parley ask ended before it asked');
  child.kill('SIGKILL');
  await exited;
  server.close();
  return ms;
}

/** Measures the milliseconds until a Node process prints its first line, and then ends it. */
async function timeReady(...args: string[]): Promise<number> {
  const begun = clock();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const ready = once(child.stdout, 'data').then(() => clock() - begun);
  const ms = await Promise.race([ready, exited.then(() => undefined)]);
  if (ms === undefined) throw new Error(`node ${args.join(' ')} ended before it was ready`);
  child.kill('SIGKILL');
  await exited;
  return ms;
}
