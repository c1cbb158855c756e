import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cutLifeline, tieToLifeline } from '@parleyhq/core';
import { Tail } from './tail.ts';

/** Number of bytes at the end of the output that the result contains. */
const maxKept = 64 * 1024;
/** Number of characters at the beginning of the output that are streamed. */
const maxStreamed = 1024 * 1024;
/** How long a command may take to end after SIGTERM, in ms. */
const graceMs = 2000;

export interface Run {
  readonly command: string;
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export interface RunResult {
  /** Null if a signal ended the command. */
  readonly exitCode: number | null;
  readonly signal?: string;
  /** Standard output and standard error, interleaved as they came; only the end if they are long. */
  readonly output: string;
  /** How many bytes of output are missing. */
  readonly cutBytes?: number;
}

/**
 * Runs a command and waits for it and for all processes that hold its output open. Other processes that it left running are then
 * killed. If this process dies first, all of them are killed with it (DUR4).
 * @returns its exit code or signal, and its output
 * @throws the signal's reason, if it was aborted
 */
export async function runCommand({ command, cwd, env, signal, progress }: Run): Promise<RunResult> {
  signal.throwIfAborted();
  const [file, args] = tieToLifeline('sh', ['-c', command]);
  const child = spawn(file, args, {
    cwd,
    env,
    detached: true, // its own process group, so that everything the command starts ends with it
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const tail = collectOutput(child, progress);
  const stop = () => stopGroup(child);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const [exitCode, killedBy] = await ended(child);
    signal.throwIfAborted();
    return {
      exitCode,
      ...(killedBy && { signal: killedBy }),
      output: tail.text,
      ...(tail.cutBytes > 0 && { cutBytes: tail.cutBytes }),
    };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Resolves with the exit once the whole process group has ended. @throws Error if the command could not be started */
async function ended(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  const closed = once(child, 'close');
  const outputs = [child.stdout, child.stderr].map((stream) => stream && once(stream, 'close'));
  await Promise.all([once(child, 'exit'), ...outputs]);
  cutLifeline(child);
  return (await closed) as [number | null, NodeJS.Signals | null];
}

function collectOutput(child: ChildProcess, progress: (text: string) => void): Tail {
  const tail = new Tail(maxKept);
  let streamed = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      tail.add(text);
      const shown = text.slice(0, maxStreamed - streamed);
      streamed += shown.length;
      if (shown) progress(shown);
    });
  }
  return tail;
}

function stopGroup(child: ChildProcess): void {
  terminateGroup(child);
  const timer = setTimeout(() => cutLifeline(child), graceMs);
  child.once('close', () => clearTimeout(timer));
}

function terminateGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // The group is empty already.
  }
}
