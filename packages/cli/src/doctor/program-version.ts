import { spawn } from 'node:child_process';
import { type AskingProgram, isWithheld } from '@parleyhq/core';
import { type Finding, fault } from './finding.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** In ms: how long a program may take to print its version. */
const patience = 5000;

/** In characters: how much of what it prints is read. */
const maxLength = 10_000;

/** The version that a program prints, or why it is not known, in words. */
export type FoundVersion = { readonly version: string } | { readonly unknown: string };

/** Has a program print its version. */
export async function findVersion(command: string, env: Environment): Promise<FoundVersion> {
  const entries = Object.entries(env).filter(([name]) => !isWithheld(name)); // SEC8
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), patience);
  const child = spawn(command, ['--version'], {
    ...{ env: Object.fromEntries(entries), stdio: ['ignore', 'pipe', 'ignore'] },
    ...{ signal: stop.signal, killSignal: 'SIGKILL' },
  });
  const failed = new Promise<string>((resolve) => child.once('error', ({ message }) => resolve(message)));
  try {
    const text = await Promise.race([readVersion(child.stdout), failed.then(() => '')]);
    const [version] = /\d+\.\d+\.\d+/.exec(text) ?? [];
    if (version !== undefined) return { version };
    if (stop.signal.aborted) return { unknown: `${command} --version did not end within ${patience / 1000} s` };
    const isMissing = child.pid === undefined;
    return {
      unknown: isMissing ? `${command} cannot be run here: ${await failed}` : `${command} --version prints none`,
    };
  } finally {
    clearTimeout(timer);
    child.stdout.destroy(); // a process that it started may hold it open
    child.kill('SIGKILL');
  }
}

/** Reads until there is a whole line with a version, or no more. */
async function readVersion(output: NodeJS.ReadableStream): Promise<string> {
  let text = '';
  try {
    for await (const chunk of output) {
      text += String(chunk);
      if (/\d+\.\d+\.\d+.*\n/.test(text) || text.length > maxLength) break;
    }
  } catch {
    // it was ended meanwhile: what it printed counts
  }
  return text;
}

/** Whether the program is too old to ask. */
export function judgeVersion({ name, oldest }: AskingProgram, found: FoundVersion): readonly Finding[] {
  if (oldest === undefined || !('version' in found) || !isOlder(found.version, oldest)) return [];
  const words = `Its version is ${found.version}, and only ${oldest} or newer asks here: update it.`;
  return [fault(name, 'program-old', words)];
}

/** Compares two versions of three numbers each. */
function isOlder(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}
