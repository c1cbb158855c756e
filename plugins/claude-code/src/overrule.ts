import { quoteDescription, toDetails, toSubject, toTitle } from '@parleyhq/claude-tools';
import { type DoorCall, type DoorOutcome, defineTool, isRecord, type Json } from '@parleyhq/core';
import * as z from 'zod';
import { placeIn } from './decision.ts';
import type { PermissionDenied } from './hook.ts';

/** Claude Code waits for its hook so long, without the time to answer it, in ms: nobody may be there, and it can go on without. */
const waitMs = 590_000;

/** Asks whether a call that Claude Code's automatic mode refused may be tried once more. Only its door calls it. */
export const overrule = defineTool({
  name: 'claude_refused',
  description: 'Ask people whether Claude Code may try a call once that its automatic mode refused.',
  parameters: z.object({
    tool_name: z.string(),
    input: z.record(z.string(), z.unknown()),
    reason: z.string(),
    folder: z.string().optional(),
  }),
  readOnly: true,
  asking: true,
  endsWithRequest: true,
  async handler({ tool_name: tool, input, reason, folder }, ctx) {
    const parts = [
      quoteDescription(tool, input),
      ...toDetails(tool, input, folder),
      reason === '' ? '' : `Its reason: ${reason}`,
      '“Allow” lets exactly this call pass once within five minutes, if Claude Code repeats it in this turn. It reads no reason or comments of yours.',
    ];
    const approval = await ctx.approve({
      key: 'overrule',
      title: `Auto mode refused: ${toTitle(tool, input)}. Let it try once?`,
      prompt: parts.filter((part) => part !== '').join('\n\n'),
      subject: toSubject(tool, input),
      risk: /\birreversible\b/i.test(reason) ? 'high' : 'medium', // in Claude Code's words for what it refused
      scopes: ['once'],
      timeoutMs: waitMs,
      onUnavailable: 'wait',
    });
    return { isOverruled: approval.approved && approval.by !== undefined };
  },
});

export function toOverruling(hook: PermissionDenied, folder: string | undefined): DoorCall {
  const { tool_name, tool_input: input, reason } = hook;
  return {
    ...placeIn(hook),
    toolName: overrule.name,
    args: { tool_name, input, reason, ...(folder !== undefined && { folder }) } as Json,
  };
}

/** Whether a person said yes; anything else leaves the refusal as it is. */
export function isOverruled(outcome: DoorOutcome | undefined): boolean {
  const isYes = outcome?.answers.at(-1)?.action === 'approve';
  return isYes && isRecord(outcome?.result) && outcome.result.isOverruled === true;
}
