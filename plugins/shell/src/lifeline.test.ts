import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { isAlive } from '../test/is-alive.ts';
import { runCommand } from './run.ts';

const runFile = pathToFileURL(fileURLToPath(new URL('./run.ts', import.meta.url))).href;

test('[DUR4] a command and what it started die with the server, even on kill -9', async () => {
  const { server, pids } = await startServer('trap "" TERM HUP; sleep 60 & echo $$ $!; wait');
  server.kill('SIGKILL');
  expect(pids).toHaveLength(2);
  for (const pid of pids) await expect.poll(() => isAlive(pid)).toBe(false);
});

test('[DUR4] what a command leaves running ends with it', async () => {
  const result = await run('sleep 60 >/dev/null 2>&1 & echo $!');
  expect(result.exitCode).toBe(0);
  await expect.poll(() => isAlive(Number(result.output))).toBe(false);
});

test('[DUR4] the command does not hold the lifeline itself', async () => {
  expect(await run('( cat <&3 ) 2>/dev/null || echo closed')).toEqual({ exitCode: 0, output: 'closed\n' });
});

/** Starts a process that runs this command and can be killed. @returns it, and the process ids that the command printed */
async function startServer(command: string) {
  const code = `const { runCommand } = await import(${JSON.stringify(runFile)});
    const signal = new AbortController().signal;
    await runCommand({ command: ${JSON.stringify(command)}, cwd: '/', env: process.env, signal, progress: console.log });`;
  const args = ['--conditions=source', '--import=tsx', '--input-type=module', '-e', code];
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  return { server, pids: String(line).trim().split(' ').map(Number) };
}

function run(command: string) {
  const { signal } = new AbortController();
  return runCommand({ command, cwd: tmpdir(), env: process.env, signal, progress: () => undefined });
}
