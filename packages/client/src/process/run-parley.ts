/// <reference types="node" />
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/** What a command came to. */
export interface CommandOutput {
  /** The code that it ended with; null where a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `parley` with these words until it ends. @throws Error where the package `parleyd` is not installed */
export async function runParley(...words: readonly string[]): Promise<CommandOutput> {
  return runCommand(await findCommand(), words);
}

/** @param command - its script @param env - beside the test's own environment */
export function runCommand(
  command: string,
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<CommandOutput> {
  return new Promise((settle) => {
    const child = execFile(
      process.execPath,
      [command, ...words],
      { env: { ...process.env, ...env } },
      (_, stdout, stderr) => settle({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/** The script of the command, of the package `parleyd` as the working directory has it. @throws Error where that is not installed */
export async function findCommand(): Promise<string> {
  const require = createRequire(resolve('package.json'));
  let manifest: string;
  try {
    manifest = require.resolve('parleyd/package.json');
  } catch (cause) {
    throw new Error('startParley: needs the package "parleyd", or the script of the command as "command".', { cause });
  }
  const { bin } = JSON.parse(await readFile(manifest, 'utf8'));
  return join(dirname(manifest), bin.parley);
}
