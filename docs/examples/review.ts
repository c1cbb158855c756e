import { definePlugin, defineTool } from '@parleyhq/core';
import * as z from 'zod';

const askReview = defineTool({
  name: 'ask_review',
  description: 'Ask for a review. Goes on without one; it arrives as a message later.',
  parameters: z.object({ waitMs: z.int().positive().default(60_000) }),
  async handler({ waitMs }, ctx) {
    return ctx.requestInteraction({
      type: 'input',
      title: 'Review',
      prompt: 'Is the draft good enough to send?',
      timeoutMs: waitMs,
      inputSchema: {
        type: 'form',
        cancelLabel: 'Later',
        fields: [{ id: 'verdict', type: 'text', label: 'Verdict', required: true }],
      },
      onResponse: ({ action, input }) =>
        action === 'submit'
          ? { complete: { verdict: input?.verdict } }
          : { pending: { message: 'The review comes later: go on.' } },
      onTimeout: () => ({ pending: { message: 'No review yet: go on, it will arrive as a message.' } }),
      onCancel: () => ctx.log.info('the turn was stopped, no review is needed'),
      onLateResponse: ({ input, by }) => ({ text: `The review by ${by.name ?? by.principal}: ${input?.verdict}` }),
    });
  },
});

const awaitReview = defineTool({
  name: 'await_review',
  description: 'Ask for a review, and wait for it as long as it takes.',
  parameters: {},
  async handler(_args, ctx) {
    const { action, input } = await ctx.requestInteraction({
      type: 'input',
      key: 'review',
      title: 'Review',
      prompt: 'Is the draft good enough to send? Nothing goes on before you say so.',
      timeoutMs: null,
      onUnavailable: 'wait',
      inputSchema: { type: 'form', fields: [{ id: 'verdict', type: 'text', label: 'Verdict', required: true }] },
    });
    if (action !== 'submit') throw ctx.error('cancelled', 'Nobody wants to review it.');
    return { verdict: input?.verdict };
  },
});

export default definePlugin({ name: 'review', tools: [askReview, awaitReview] });
