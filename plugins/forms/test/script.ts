import type { InteractionSpec } from '@parleyhq/core';
import { type Prompt, playTool, type Reaction, Stage, submit } from '@parleyhq/core/testing';
import plugin from '../src/index.ts';

export { submit };

/** Runs calls in one session whose prompts get these answers in order; `asked` records the prompts. */
export function scriptContext(...script: Reaction[]) {
  const asked: InteractionSpec[] = [];
  const stage = new Stage();

  /** @returns what the agent reads. @throws the error that it reads */
  async function run(toolName: string, args: object = {}): Promise<unknown> {
    const tool = plugin.tools.find((candidate) => candidate.name === toolName);
    if (!tool) throw new Error(`There is no tool ${toolName}.`);
    const human = ({ spec }: Prompt) => {
      asked.push(spec);
      const next = script.shift();
      if (next === undefined) throw new Error('The script has no further answer.');
      return next;
    };
    const { result, error } = await playTool(tool, { stage, args, human }).end();
    if (error) throw error;
    return result;
  }

  return { asked, run, say: (...more: Reaction[]) => void script.push(...more) };
}
