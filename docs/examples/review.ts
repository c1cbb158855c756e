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

export default definePlugin({ name: 'review', tools: [askReview] });
