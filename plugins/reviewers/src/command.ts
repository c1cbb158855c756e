import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import {
  cutLifeline,
  isWithheld,
  pickEnvironment,
  type Reviewer,
  type ReviewRequest,
  type ReviewResult,
  tieToLifeline,
} from '@parleyhq/core';
import * as z from 'zod';
import { readResultText } from './result-text.ts';

/** Maximum length of what a command prints, in bytes. */
const maxOutput = 16 * 1024;

const variable = z.string().refine((name) => !isWithheld(name), 'is never passed on: it may be a key of this server');

const settings = z.strictObject({
  /** The program and its arguments. No shell reads them. */
  command: z.tuple([z.string().min(1)], z.string()),
  /** Its folder; by default `/`, where no agent can put a file that the program would load. */
  cwd: z.string().min(1).optional(),
  /** Further variables of the server's environment that it gets. */
  env: z.array(variable).default([]),
});

/**
 * Runs a program that reads the request as JSON and prints its result. Any other exit code than 0, other output or too much of it
 * asks a person.
 */
export const command: Reviewer = {
  name: 'command',
  configSchema: settings,
  async review(request, { config, signal }) {
    return runCommand(config as z.output<typeof settings>, request, signal);
  },
};

async function runCommand(
  { command: [program, ...args], cwd = '/', env }: z.output<typeof settings>,
  request: ReviewRequest,
  signal: AbortSignal,
): Promise<ReviewResult> {
  signal.throwIfAborted();
  const [file, tied] = tieToLifeline(program, args);
  const child = spawn(file, tied, {
    cwd,
    env: pickEnvironment(process.env, env),
    detached: true, // its own process group, so that everything it starts ends with it
    stdio: ['pipe', 'pipe', 'ignore', 'pipe'],
  });
  const stop = () => cutLifeline(child);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const failed = new Promise<never>((_, reject) => {
      child.once('error', reject);
    });
    const output = readOutput(child.stdout as Readable);
    const written = write(child.stdin as Writable, `${JSON.stringify(request)}\n`);
    const exit = once(child, 'exit').then((ended) => {
      stop(); // what it left running may hold its output open
      return ended as [number | null, NodeJS.Signals | null];
    });
    const [[code, killedBy], text] = await Promise.race([Promise.all([exit, output, written]), failed]);
    signal.throwIfAborted();
    if (code !== 0) throw new Error(`it ended with ${killedBy ?? `exit code ${code}`}`);
    return readResultText(text);
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/**
 * @throws Error if it is not taken whole. By the callback, because Node closes the input of a program that has ended, often without
 * an error, and `finished` may call that a success
 */
function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('error', reject);
    stream.write(text, (error) => (error ? reject(error) : resolve()));
    stream.end();
  });
}

/** @throws Error if it is too long or not UTF-8 */
async function readOutput(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxOutput) throw new Error(`it printed more than ${maxOutput} bytes`);
    chunks.push(chunk);
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
}
