import { ExitError } from '@parleyhq/core';
import { forTerminal } from './line.ts';

let isAwaited = false;

/**
 * Prints a result that must not get lost, and waits until it is written.
 * @param lost - message for the case that it cannot be written: what happened nevertheless, and how to get it again
 * @throws ExitError 5 if it cannot be written, also if the reader has closed the pipe
 */
export async function print(text: string, lost: string): Promise<void> {
  isAwaited = true;
  try {
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
    });
  } catch (cause) {
    throw new ExitError(5, `${lost} (${(cause as Error).message})`, { cause });
  }
}

/**
 * Ends the process with a message if stdout fails: Node's own exit code 1 could mean that a person said no. A reader that closes
 * the pipe early, such as head(1), is not an error.
 */
export function watchOutput(): void {
  process.stderr.on('error', () => undefined); // there is no other way to report it
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isAwaited) return; // `print` reports it
    if (error.code === 'EPIPE') process.exit();
    crash(new Error(`The output could not be written: ${error.message}.`));
  });
}

/** Ends the process with a message and exit code 5 after an uncaught error: a bug must not look like a person's answer. */
export function crash(error: unknown): never {
  process.stderr.write(forTerminal(`parley: ${wordsOf(error)}\n`, process.stderr.isTTY));
  process.exit(5);
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
