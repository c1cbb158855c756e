import { type InteractionSpec, type Tool, type ToolContext, ToolError } from '@parleyhq/core';
import { type Prompt, playTool, type SaidBy, Stage, submit } from '@parleyhq/core/testing';

export { submit };

/** The person who answers in scripts, and the time. */
export const answered = { by: { principal: 'p-1', name: 'Ann' }, at: '2026-03-01T09:00:00.000Z' };

/** An answer, a passed deadline, or the error with which the server refuses to ask. */
type Said = SaidBy | 'timeout' | ToolError;

/** Runs a tool whose prompts get these answers in order; `asked` records the prompts. @throws the error that the agent reads */
// biome-ignore lint/suspicious/noExplicitAny: tools of one plugin differ in their arguments
export function scriptTool(tool: Tool<any>, ...script: Said[]) {
  const asked: InteractionSpec[] = [];
  const stage = new Stage({ person: { id: 'p-1', name: 'Ann', role: 'operator' } });
  const scripted = { ...tool, handler: (args: object, ctx: ToolContext) => tool.handler(args, limit(ctx, script[0])) };

  const human = ({ spec }: Prompt) => {
    asked.push(spec);
    return script.shift() as SaidBy | 'timeout' | undefined;
  };

  const run = async (args: object): Promise<unknown> => {
    const { result, error } = await playTool(scripted, { stage, args, human }).end();
    if (error) throw error;
    return result;
  };
  return { asked, run };
}

/** Makes every prompt expire if the script says so, even of tools that wait as long as it takes; or refuses to ask. */
function limit(ctx: ToolContext, said: Said | undefined): ToolContext {
  const ask = <Demand extends { readonly timeoutMs?: number | null | undefined }>(demand: Demand): Demand => {
    if (said instanceof ToolError) throw said;
    return said === 'timeout' ? { ...demand, timeoutMs: demand.timeoutMs ?? 1000 } : demand;
  };
  return {
    ...ctx,
    approve: async (demand) => ctx.approve(ask(demand)),
    requestInteraction: async (demand) => ctx.requestInteraction(ask(demand)) as never,
  };
}
