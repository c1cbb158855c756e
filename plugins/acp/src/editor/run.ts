import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { cutLifeline, ExitError, type SubcommandContext, tieToLifeline } from '@parleyhq/core';
import { EditorAsker } from './editor-asker.ts';
import { drained, readLines, writeTo } from './lines.ts';
import { EditorProxy } from './proxy.ts';

/** How long an agent has to end by itself, and then after a request to end, in ms. */
const endMs = 3000;
/** How long it has after SIGTERM once the proxy has been killed, in s. */
const orphanSeconds = 3;
/** How long its output may stay open after its exit, in ms. */
const exitMs = 1000;

type Agent = ChildProcessByStdio<Writable, Readable, null>;

/** Keys of the server: the agent needs none. */
const ownKeys = ['PARLEY_TOKEN', 'PARLEY_ASK_TOKEN'];

/** `parley acp`: runs an agent for an editor, on stdin and stdout. @throws ExitError with the agent's own exit code */
export async function runProxy({
  rest: [command = '', ...args],
  findServer,
  report,
}: SubcommandContext): Promise<void> {
  const agent = basename(command)
    .replace(/\.(exe|cmd|js|mjs)$/, '')
    .slice(0, 100);
  const find = async () => {
    const { url, askToken } = await findServer();
    return { url, token: askToken };
  };
  const asker = new EditorAsker({ agent, find, report });
  const child = startAgent(command, args);
  const exited = new Promise<number>((resolve, reject) => {
    child.once('error', ({ message }) => reject(new Error(`The agent does not start: ${message}`)));
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  exited.finally(() => cutLifeline(child)).catch(() => undefined); // thrown below
  child.stdin.on('error', () => undefined); // it has ended, which its exit says
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.stdin.destroy());
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
  void pass(process.stdin, child.stdin, (line) => proxy.fromEditor(line)).then(() => {
    proxy.end('The editor has ended.');
    void endAgent(child, exited);
  });
  try {
    void closeAfter(exited, child.stdout);
    await pass(child.stdout, process.stdout, (line) => proxy.fromAgent(line));
    const code = await exited;
    if (code !== 0) throw new ExitError(code, `${agent} ended with ${code}.`);
  } finally {
    proxy.end('The agent has ended.');
    await asker.flush();
    process.stdin.destroy();
  }
}

/** Takes in lines no faster than what they become is read. An input that breaks off has ended, too. */
async function pass(input: Readable, output: Writable, take: (line: Buffer) => void): Promise<void> {
  try {
    for await (const line of readLines(input)) {
      take(line);
      await drained(output);
    }
  } catch (error) {
    if (!input.destroyed) throw error;
  }
}

/** Closes the agent's output some time after its exit: what it left running may hold it open for ever. */
async function closeAfter(exited: Promise<unknown>, output: Readable): Promise<void> {
  await exited.catch(() => undefined);
  do await sleep(exitMs, undefined, { ref: false });
  while (process.stdout.writableNeedDrain); // the editor is still reading
  output.destroy();
}

function startAgent(command: string, args: readonly string[]): Agent {
  const [file, tied] = tieToLifeline(command, args, orphanSeconds);
  return spawn(file, tied, {
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    env: environment(),
    detached: true, // its own process group, so that everything it starts ends with the proxy
  }) as unknown as Agent;
}

/** Lets the agent end; ends it if it does not. */
async function endAgent(child: Agent, exited: Promise<unknown>): Promise<void> {
  child.stdin.end();
  const timers = [setTimeout(() => child.kill('SIGTERM'), endMs), setTimeout(() => cutLifeline(child), 2 * endMs)];
  await exited.catch(() => undefined);
  timers.forEach(clearTimeout);
}

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ownKeys.includes(name)));
}
