import { execFileSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isAlive } from '../test/is-alive.ts';
import { runCommand } from './run.ts';
import { Tail } from './tail.ts';

test('[EVT4] output is streamed while the command runs', async () => {
  const streamed: string[] = [];
  const gate = join(mkdtempSync(join(tmpdir(), 'parley-gate-')), 'open');
  execFileSync('mkfifo', [gate]);
  const running = run(`echo one; read line < ${gate}; echo two`, (text) => void streamed.push(text));
  await expect.poll(() => streamed).toEqual(['one\n']);
  writeFileSync(gate, '\n'); // the command waits for this line
  expect(await running).toEqual({ exitCode: 0, output: 'one\ntwo\n' });
});

test('[INT11] an abort ends the command and everything it started', async () => {
  const stop = new AbortController();
  let printed = '';
  const running = run('sleep 60 & echo ready; wait', (text) => (printed += text), stop.signal);
  await expect.poll(() => printed).toBe('ready\n');

  stop.abort();

  await expect(running).rejects.toThrow('aborted'); // after the sleep, which holds the output open, has ended
});

test('[INT11] a command that ignores SIGTERM is killed', { timeout: 30_000 }, async () => {
  const stop = new AbortController();
  let printed = '';
  const running = run('trap "" TERM; echo $$; while :; do sleep 0.1; done', (text) => (printed += text), stop.signal);
  await expect.poll(() => printed).toMatch(/\d+\n/);

  stop.abort();

  await expect(running).rejects.toThrow('aborted');
  expect(isAlive(Number(printed))).toBe(false);
});

test('[INT11] nothing starts after an abort', async () => {
  await expect(run('echo no', undefined, AbortSignal.abort())).rejects.toThrow('aborted');
});

test('[SEC6] the result holds the end of a long output and says how much is missing', async () => {
  let streamed = 0;
  const result = await run("head -c 3000000 /dev/zero | tr '\\0' x; echo end", (text) => (streamed += text.length));
  expect(result.output).toHaveLength(65_536);
  expect(result.output).toMatch(/xend\n$/);
  expect(result.cutBytes).toBe(3_000_004 - 65_536);
  expect(streamed).toBe(1024 * 1024);
});

test('[SEC6] a cut never splits a character', () => {
  const tail = new Tail(4);
  tail.add('ab');
  tail.add('€€');
  expect(tail.text).toBe('€');
  expect(tail.cutBytes).toBe(5);
});

test('[PLG6] a command ended by a signal reports which', async () => {
  expect(await run('kill -9 $$')).toEqual({ exitCode: null, signal: 'SIGKILL', output: '' });
});

function run(command: string, progress: (text: string) => void = () => {}, signal = new AbortController().signal) {
  return runCommand({ command, cwd: tmpdir(), env: process.env, signal, progress });
}
