const plainCodes = '0 done; 2 wrong usage; 1 anything else';

/** The help text below a command's flags: examples and exit codes. */
export function exampleText(examples: readonly string[], exitCodes: string = plainCodes): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}\n`).join('')}\nExit codes: ${exitCodes}.`;
}
