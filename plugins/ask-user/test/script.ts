import {
  approve,
  type InteractionAnswer,
  type InteractionDemand,
  interactionSpecSchema,
  type Json,
  type Outcome,
  type Tool,
  type ToolContext,
  ToolError,
} from '@parleyhq/core';
import * as z from 'zod';

type ScriptedAnswer = Pick<InteractionAnswer, 'action'> & Partial<InteractionAnswer>;

/** Who answers in scripts, and when. */
export const answered = { by: { principal: 'p-1', name: 'Ann' }, at: '2026-03-01T09:00:00.000Z' };

/** Runs a tool whose prompts get these answers in order; `asked` records the prompts. @throws Error with what is wrong with the arguments */
// biome-ignore lint/suspicious/noExplicitAny: tools of one plugin differ in their arguments
export function scriptTool(tool: Tool<any>, ...script: (ScriptedAnswer | 'timeout' | Error)[]) {
  const asked: InteractionDemand[] = [];
  let callArgs: Json = null;

  async function requestInteraction(demand: InteractionDemand): Promise<unknown> {
    interactionSpecSchema.parse(demand);
    asked.push(demand);
    const next = script.shift() ?? 'timeout';
    if (next instanceof Error) throw next;
    if (next === 'timeout') return { ok: false, error: 'timeout' };
    const device = { clientId: 'tab', connectionId: 'c-1', transport: 'ws' };
    const answer = { ...answered, ...next, by: { ...answered.by, ...device } } as InteractionAnswer;
    return settle(demand, (await demand.onResponse?.(answer)) ?? { complete: answer });
  }

  async function settle(demand: InteractionDemand, outcome: Outcome): Promise<unknown> {
    if ('reprompt' in outcome) return requestInteraction({ ...demand, ...outcome.reprompt } as InteractionDemand);
    return 'complete' in outcome ? outcome.complete : outcome;
  }

  const parse = async (args: Json) => {
    const { data, error } = tool.parameters.safeParse(args);
    if (error) throw new ToolError('invalid_args', z.prettifyError(error));
    return data;
  };

  const ctx = {
    requestInteraction: requestInteraction as ToolContext['requestInteraction'],
    approve: (demand) =>
      approve(
        { callArgs, find: async () => undefined, ask: requestInteraction, keep: async () => true, parse },
        demand,
      ),
    error: (code, message) => new ToolError(code, message),
  } satisfies Partial<ToolContext> as unknown as ToolContext;

  const run = async (args: object): Promise<unknown> => {
    callArgs = args as Json;
    return tool.handler(await parse(callArgs), ctx);
  };
  return { asked, run };
}

export function submit(input: NonNullable<ScriptedAnswer['input']>): ScriptedAnswer {
  return { action: 'submit', input };
}
