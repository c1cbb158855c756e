import { toSubject } from '@parleyhq/claude-tools';
import { defineTool, isAnswer, wordsOf } from '@parleyhq/core';
import * as z from 'zod';
import type { CallContext } from './call-context.ts';

/** Asks for approval of the model's plan. With it the session leaves plan mode; without it the model keeps planning. */
export function makeExitPlanMode(desk: CallContext) {
  return defineTool({
    name: 'ExitPlanMode',
    description: 'Show the plan and ask for approval to carry it out.',
    parameters: z.looseObject({ plan: z.string().optional() }),
    readOnly: true,
    timeoutMs: desk.timeoutMs,
    async handler(args, ctx) {
      const answer = await ctx.requestInteraction({
        type: 'approval',
        key: 'plan',
        title: 'Carry out this plan?',
        subject: toSubject('ExitPlanMode', args),
        approvalScopes: ['once'],
        timeoutMs: desk.promptTimeoutMs,
        onUnavailable: 'wait',
      });
      if (!isAnswer(answer)) throw ctx.error('timeout', 'Nobody answered in time.');
      if (answer.action !== 'approve') throw ctx.error('denied', wordsOf(answer) ?? 'The person wants another plan.');
      await ctx.leavePlanMode(answer.by);
      return desk.run(ctx, args);
    },
  });
}
