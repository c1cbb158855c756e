const plainCodes = '0 done; 2 wrong usage; 1 anything else';

/** What help shows below a command's flags: how it is used, and how it ends. */
export function exampleText(examples: readonly string[], exitCodes: string = plainCodes): string {
  return `\nExamples:\n${examples.map((example) => `  ${example}\n`).join('')}\nExit codes: ${exitCodes}.`;
}
