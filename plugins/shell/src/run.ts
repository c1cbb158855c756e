import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Tail } from './tail.ts';

/** Bytes of output that the result holds: the last ones. */
const maxKept = 64 * 1024;
/** Characters of output that are streamed to the tabs: the first ones. */
const maxStreamed = 1024 * 1024;
/** Milliseconds that a command gets to end by itself once it is told to. */
const grace = 2000;

export interface Run {
  readonly command: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly progress: (text: string) => void;
}

export interface RunResult {
  /** Null where a signal ended the command. */
  readonly exitCode: number | null;
  readonly signal?: string;
  /** Standard output and errors as they came, the end of them if they were long. */
  readonly output: string;
  /** Bytes of output that are not shown. */
  readonly cutBytes?: number;
}

/**
 * Runs a command to its end and returns what it said.
 * @throws the signal's reason, once the command and all that it started are gone
 */
export async function runCommand({ command, cwd, signal, progress }: Run): Promise<RunResult> {
  signal.throwIfAborted();
  const child = spawn('sh', ['-c', command], {
    cwd,
    env: cleanEnvironment(process.env),
    detached: true, // a process group of its own, so that what the command starts ends with it
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

/** Without Parley's own settings and anybody's keys (SEC8). */
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
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), grace);
  child.once('close', () => {
    clearTimeout(timer);
    signalGroup(child, 'SIGKILL'); // what ignored the first signal and closed its output
  });
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in the group: that is what was wanted.
  }
}
