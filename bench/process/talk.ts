/** One step of a long session with an agent: its thoughts, its text, a call and the result, as varied as in real sessions. */
export interface Step {
  readonly thinking: string;
  readonly text: string;
  readonly args: { readonly path: string };
  readonly result: string;
}

const sentence = (n: number) =>
  `The module ${n} reads the settings **once** and passes them on as \`options\`, so that a test can set them.`;

const code = (n: number) => `\`\`\`ts
export function read${n}(path: string): Settings {
  const text = readFileSync(path, 'utf8'); // throws where there is none
  return { ...defaults, ...JSON.parse(text), version: ${n} };
}
\`\`\``;

export function makeStep(n: number): Step {
  return {
    thinking: `The next file is the ${n}th. ${sentence(n)}`,
    text: [`## Step ${n}`, sentence(n), `- one\n- two of ${n}`, ...(n % 5 === 0 ? [code(n)] : [])].join('\n\n'),
    args: { path: `src/settings/file-${n}.ts` },
    result: Array.from({ length: 12 }, (_, line) => `${line + 1} const value${line} = ${n};`).join('\n'),
  };
}

/** Each step is a thought, a text, a call and its result. */
export const eventsPerStep = 4;
