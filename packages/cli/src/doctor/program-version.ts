import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { AskingProgram } from '@parleyhq/core';
import { type Finding, fault } from './finding.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** In ms: how long a program may take to print its version. */
const patience = 10_000;

/** Returns the version that a program prints, or undefined if it is not on the path or prints none. */
export async function findVersion(command: string, env: Environment): Promise<string | undefined> {
  const entries = Object.entries(env).filter(([name]) => !/^PARLEY_|_API_KEY$/.test(name)); // SEC8
  const options = { env: Object.fromEntries(entries), timeout: patience, killSignal: 'SIGKILL' } as const;
  try {
    const { stdout } = await promisify(execFile)(command, ['--version'], options);
    return /\d+\.\d+\.\d+/.exec(stdout)?.[0];
  } catch {
    return undefined; // whatever goes wrong, the version stays unknown, which the finding says
  }
}

/** Whether the program is too old to ask. */
export function judgeVersion({ name, oldest }: AskingProgram, version: string | undefined): readonly Finding[] {
  if (oldest === undefined || version === undefined || !isOlder(version, oldest)) return [];
  const words = `Its version is ${version}, and only ${oldest} or newer asks here: update it.`;
  return [fault(name, 'program-old', words)];
}

/** Compares two versions of three numbers each. */
function isOlder(version: string, other: string): boolean {
  return version.localeCompare(other, 'en', { numeric: true }) < 0;
}
