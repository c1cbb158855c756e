import { createInterface } from 'node:readline/promises';

/** Returns a function that shows a text and asks `question`; only an explicit yes is true. Undefined if there is no terminal. */
export function askAtTerminal(question: string): ((text: string) => Promise<boolean>) | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (text) => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const answer = await new Promise<string>((resolve) => {
        terminal.once('close', () => resolve('')); // Ctrl+C and end of input count as no
        terminal.question(`${text}${question} [y/N] `).then(resolve, () => resolve(''));
      });
      return /^y(es)?$/i.test(answer.trim());
    } finally {
      terminal.close();
    }
  };
}
