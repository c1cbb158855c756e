import {
  approve,
  type InteractionAnswer,
  type InteractionDemand,
  type InteractionSpec,
  interactionSpecSchema,
  type Json,
  type Outcome,
  type ToolContext,
  ToolError,
} from '@parleyhq/core';
import type * as z from 'zod';
import plugin from '../src/index.ts';

type ScriptedAnswer = Pick<InteractionAnswer, 'action'> & Partial<InteractionAnswer>;

/** Runs the plugin's tool, whose prompts get these answers in order; `asked` and `streamed` record what happened. */
export function scriptShell(...script: (ScriptedAnswer | 'timeout')[]) {
  const asked: InteractionSpec[] = [];
  const streamed: string[] = [];
  const stop = new AbortController();

  let current: unknown;

  async function requestInteraction(demand: InteractionDemand): Promise<unknown> {
    asked.push(interactionSpecSchema.parse(demand));
    const answer = script.shift() ?? 'timeout';
    if (answer === 'timeout') return { ok: false, error: 'timeout' };
    const outcome = (await demand.onResponse?.(answer as InteractionAnswer)) as Outcome;
    if ('reprompt' in outcome) return requestInteraction({ ...demand, ...outcome.reprompt } as InteractionDemand);
    return 'complete' in outcome ? outcome.complete : undefined;
  }

  const ctx = {
    signal: stop.signal,
    requestInteraction: requestInteraction as ToolContext['requestInteraction'],
    approve: (demand) =>
      approve(
        {
          callArgs: current as Json,
          find: async () => undefined,
          ask: requestInteraction,
          keep: async () => true,
          parse: async (edited) => parse(edited),
        },
        demand,
      ),
    progress: (text) => void streamed.push(text),
    error: (code, message) => new ToolError(code, message),
  } satisfies Partial<ToolContext> as unknown as ToolContext;

  const [runCommand] = plugin.tools;
  const run = async (args: { command: string; cwd?: string }) => {
    current = args;
    return runCommand?.handler(args, ctx);
  };
  return { asked, streamed, run, stop: () => stop.abort() };
}

/** Parses edited arguments with the tool's own schema, as the server does. */
function parse(args: unknown): unknown {
  const parsed = (plugin.tools[0]?.parameters as z.ZodType | undefined)?.safeParse(args);
  if (!parsed?.success) throw new ToolError('invalid_args', 'The arguments are invalid.');
  return parsed.data;
}
