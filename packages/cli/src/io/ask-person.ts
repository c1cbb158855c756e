import { createInterface } from 'node:readline/promises';

/** Shows a text and puts a question that only an explicit yes answers. Undefined where no person is at the terminal. */
export function askAtTerminal(question: string): ((text: string) => Promise<boolean>) | undefined {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  return async (text) => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      const answer = await new Promise<string>((resolve) => {
        terminal.once('close', () => resolve('')); // Ctrl+C and the end of input are no
        terminal.question(`${text}${question} [y/N] `).then(resolve, () => resolve(''));
      });
      return /^y(es)?$/i.test(answer.trim());
    } finally {
      terminal.close();
    }
  };
}
