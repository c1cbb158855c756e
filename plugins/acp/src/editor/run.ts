import { type ChildProcess, spawn } from 'node:child_process';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { ExitError, type SubcommandContext } from '@parleyhq/core';
import { Asker } from './asker.ts';
import { readLines, writeTo } from './lines.ts';
import { EditorProxy } from './proxy.ts';

/** How long an agent has to end by itself, and then after a request to end, in ms. */
const endMs = 3000;

/** Keys of the server: the agent needs none. */
const ownKeys = ['PARLEY_TOKEN', 'PARLEY_ASK_TOKEN'];

/** `parley acp`: runs an agent for an editor, on stdin and stdout. @throws ExitError with the agent's own exit code */
export async function runProxy({
  rest: [command = '', ...args],
  findServer,
  report,
}: SubcommandContext): Promise<void> {
  const agent = basename(command).replace(/\.(exe|cmd|js|mjs)$/, '');
  const find = async () => {
    const { url, askToken } = await findServer();
    return { url, token: askToken };
  };
  const asker = new Asker({ agent, find, report });
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env: environment() });
  const exited = new Promise<number>((resolve, reject) => {
    child.once('error', ({ message }) => reject(new Error(`The agent does not start: ${message}`)));
    child.once('exit', (code, signal) => resolve(code ?? (signal ? 128 : 1)));
  });
  exited.catch(() => undefined); // thrown below
  child.stdin.on('error', () => undefined); // it has ended, which its exit says
  const isThere = await asker.isThere();
  const proxy = new EditorProxy(
    {
      toAgent: (line) => writeTo(child.stdin, line),
      toEditor: (line) => writeTo(process.stdout, line),
      ask: (question) => asker.ask(question),
      tell: (news) => asker.tell(news),
    },
    isThere,
  );
  const stop = () => endAgent(child);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, stop);
  const written = pass(process.stdin, (line) => proxy.fromEditor(line)).catch(() => undefined); // it broke off: an end, too
  void written.then(() => {
    proxy.end('The editor has ended.');
    stop();
  });
  try {
    await pass(child.stdout, (line) => proxy.fromAgent(line));
    const code = await exited;
    if (code !== 0) throw new ExitError(code, `${agent} ended with ${code}.`);
  } finally {
    proxy.end('The agent has ended.');
    await asker.flush();
    process.stdin.destroy();
  }
}

async function pass(input: Readable, take: (line: Buffer) => void): Promise<void> {
  for await (const line of readLines(input)) take(line);
}

/** Lets the agent end; ends it if it does not. */
function endAgent(child: ChildProcess & { readonly stdin: Writable }): void {
  child.stdin.end();
  const timers = [setTimeout(() => child.kill('SIGTERM'), endMs), setTimeout(() => child.kill('SIGKILL'), 2 * endMs)];
  child.once('exit', () => timers.forEach(clearTimeout));
}

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ownKeys.includes(name)));
}
