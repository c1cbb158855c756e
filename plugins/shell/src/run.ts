import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Tail } from './tail.ts';

/** How many bytes of output the result holds: the last ones. */
const maxKept = 64 * 1024;
/** How many characters of output are streamed: the first ones. */
const maxStreamed = 1024 * 1024;
/** How long a command may take to end after SIGTERM, in ms. */
const graceMs = 2000;

export interface Run {
  readonly command: string;
  readonly cwd: string;
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
 * Runs a command and waits for it and everything it started to end.
 * @returns its exit and its output
 * @throws the signal's reason, if it was aborted
 */
export async function runCommand({ command, cwd, signal, progress }: Run): Promise<RunResult> {
  signal.throwIfAborted();
  const child = spawn('sh', ['-c', command], {
    cwd,
    env: cleanEnvironment(process.env),
    detached: true, // its own process group, so that everything the command starts ends with it
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const tail = collectOutput(child, progress);
  const stop = () => stopGroup(child);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const [exitCode, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
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

/** The environment without Parley's settings and anybody's API keys (SEC8). */
function cleanEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^PARLEY_|_API_KEY$/i.test(name)));
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
  signalGroup(child, 'SIGTERM');
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs);
  child.once('close', () => {
    clearTimeout(timer);
    signalGroup(child, 'SIGKILL'); // processes that ignored SIGTERM and closed their output
  });
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is empty already.
  }
}
