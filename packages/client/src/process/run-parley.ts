/// <reference types="node" />
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

/** Result of a command. */
export interface CommandOutput {
  /** Exit code; null if a signal ended the process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `parley` with these arguments until it ends. @throws Error if the package `parleyd` is not installed */
export async function runParley(...words: readonly string[]): Promise<CommandOutput> {
  return runCommand(await findCommand(), words);
}

/** Runs a command until it ends. @param command - its script @param env - variables in addition to the test's environment */
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

/** Finds the command's script in the package `parleyd`, from the working directory. @throws Error if that is not installed */
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
