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

type Said = Pick<InteractionAnswer, 'action'> & Partial<InteractionAnswer>;

/** Runs the plugin's tool with a person who answers in this order; says what was asked and streamed. */
export function scriptShell(...script: (Said | 'timeout')[]) {
  const asked: InteractionSpec[] = [];
  const streamed: string[] = [];
  const stop = new AbortController();

  let current: unknown;

  async function requestInteraction(demand: InteractionDemand): Promise<unknown> {
    asked.push(interactionSpecSchema.parse(demand));
    const said = script.shift() ?? 'timeout';
    if (said === 'timeout') return { ok: false, error: 'timeout' };
    const outcome = (await demand.onResponse?.(said as InteractionAnswer)) as Outcome;
    if ('reprompt' in outcome) return requestInteraction({ ...demand, ...outcome.reprompt } as InteractionDemand);
    return 'complete' in outcome ? outcome.complete : undefined;
  }

  const ctx = {
    signal: stop.signal,
    requestInteraction,
    approve: (demand) =>
      approve(
        {
          callArgs: current as Json,
          find: async () => undefined,
          ask: requestInteraction,
          keep: async () => undefined,
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

/** As the server reads edited arguments: by the tool's own schema. */
function parse(args: unknown): unknown {
  const parsed = (plugin.tools[0]?.parameters as z.ZodType | undefined)?.safeParse(args);
  if (!parsed?.success) throw new ToolError('invalid_args', 'These are no arguments of the tool.');
  return parsed.data;
}
