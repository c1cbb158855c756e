import { type InteractionSpec, type Tool, ToolError } from '@parleyhq/core';
import { type Prompt, playTool, type SaidBy, Stage, submit } from '@parleyhq/core/testing';

export { submit };

/** The person who answers in scripts, and the time. */
export const answered = { by: { principal: 'p-1', name: 'Ann' }, at: '2026-03-01T09:00:00.000Z' };

/** Runs a tool whose prompts get these answers in order; `asked` records the prompts. @throws the error that the agent reads */
// biome-ignore lint/suspicious/noExplicitAny: tools of one plugin differ in their arguments
export function scriptTool(tool: Tool<any>, ...script: (SaidBy | 'timeout' | ToolError)[]) {
  const asked: InteractionSpec[] = [];
  const stage = new Stage({ person: { id: 'p-1', name: 'Ann', role: 'operator' } });

  const human = (prompt: Prompt) => {
    asked.push(prompt.spec);
    const next = script.shift() ?? 'timeout';
    if (next instanceof ToolError) prompt.fail(next);
    else if (next !== 'timeout') return next;
    else prompt.expire(); // these prompts have no deadline unless a test sets one
    return undefined;
  };

  const run = async (args: object): Promise<unknown> => {
    const { result, error } = await playTool(tool, { stage, args, human }).end();
    if (error) throw error;
    return result;
  };
  return { asked, run };
}
