import { ExitError } from './exit-error.ts';
import { forTerminal } from './line.ts';

let isAwaited = false;

/**
 * Prints what somebody waits for, and waits until it is written.
 * @param lost - what is so all the same and could not be written, and how to get at it
 * @throws ExitError 5 where it cannot be written, to a reader that is no longer there either
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

/** Ends the process in words where its output breaks: code 1 may be somebody's no. Of a list, a reader such as head(1) takes what it wants. */
export function watchOutput(): void {
  process.stderr.on('error', () => undefined); // there is nobody left to tell
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isAwaited) return; // `print` says so
    if (error.code === 'EPIPE') process.exit();
    crash(new Error(`The output could not be written: ${error.message}.`));
  });
}

/** Ends the process in words and with 5 where an error reached nobody: it is a fault of the command, and no answer. */
export function crash(error: unknown): never {
  process.stderr.write(forTerminal(`parley: ${wordsOf(error)}\n`, process.stderr.isTTY));
  process.exit(5);
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
