import { defineTool, type Json, type ToolContext } from '@parleyhq/core';
import * as z from 'zod';
import { type CallContext, unwrap } from './call-context.ts';
import { ownToolName } from './own-tools.ts';
import type { ModelCall } from './pending-call.ts';

const parameters = z.looseObject({ subagent_type: z.string().default('sub-agent') });

/** A sub-agent works inside this call. Its calls are calls of the session, and their prompts name it (AGT7). */
export function makeSubAgent(desk: CallContext) {
  return defineTool({
    name: 'Agent',
    description: 'Let a sub-agent do part of the work.',
    parameters,
    readOnly: true, // it has no effects of its own: permission is asked for each of its calls
    onInterrupted: 'fail', // its calls are in the log; the model decides whether to start another one
    timeoutMs: desk.timeoutMs,
    async handler({ subagent_type: from }, ctx) {
      const calls = desk.innerCalls(ctx);
      const ended = desk.begin(ctx);
      ended.catch(() => undefined); // awaited after the last call
      const running: Promise<void>[] = [];
      for await (const call of calls) running.push(runInside(desk, ctx, call, from));
      await Promise.all(running);
      const begun = await ended;
      if ('output' in begun) return unwrap(ctx, begun.output);
      throw ctx.error('denied', begun.asked.reason ?? 'Claude Code wants permission for sub-agents.');
    },
  });
}

async function runInside(
  desk: CallContext,
  ctx: ToolContext,
  { id, name, input }: ModelCall,
  from: string,
): Promise<void> {
  const ownName = ownToolName(name);
  const call = { toolCallId: id, toolName: ownName ?? name, args: input as Json, from };
  desk.settle(ctx, id, ownName !== undefined, await ctx.callTool(call));
}
