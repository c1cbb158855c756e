import { defineTool, type Json, type ToolContext } from '@parleyhq/core';
import * as z from 'zod';
import { type CallDesk, unwrap } from './call-desk.ts';
import { textOfResult } from './history.ts';
import type { ReadCall } from './message-reader.ts';
import { ownToolName } from './own-tools.ts';

const parameters = z.looseObject({ subagent_type: z.string().default('sub-agent') });

/** A sub-agent works inside of this call; what it calls are calls of the session, with its name in what they ask (AGT7). */
export function makeSubAgent(desk: CallDesk) {
  return defineTool({
    name: 'Agent',
    description: 'Let a sub-agent do a part of the work.',
    parameters,
    readOnly: true, // it does nothing by itself: each of its calls is asked about
    onInterrupted: 'fail', // what it did stands in the log; whether it is worth another one is for the model to say
    timeoutMs: desk.timeoutMs,
    async handler({ subagent_type: from }, ctx) {
      const calls = desk.innerCalls(ctx);
      const ended = desk.begin(ctx);
      ended.catch(() => undefined); // it is awaited when the last call is through
      const running: Promise<void>[] = [];
      for await (const call of calls) running.push(runInside(desk, ctx, call, from));
      await Promise.all(running);
      const begun = await ended;
      if ('outcome' in begun) return unwrap(ctx, begun.outcome);
      throw ctx.error('denied', begun.asked.reason ?? 'Claude Code wants permission for sub-agents.');
    },
  });
}

async function runInside(desk: CallDesk, ctx: ToolContext, { id, name, input }: ReadCall, from: string): Promise<void> {
  const ownName = ownToolName(name);
  const call = { toolCallId: id, toolName: ownName ?? name, args: input as Json, from };
  desk.settle(ctx, id, ownName !== undefined, textOfResult(await ctx.callTool(call)));
}
