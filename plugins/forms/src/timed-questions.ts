import { defineTool, type InteractionAnswer, type Outcome } from '@parleyhq/core';
import * as z from 'zod';
import { cancelled, completeForm } from './form-result.ts';
import { toOptions } from './options.ts';

const parameters = z.object({
  timeoutMs: z.int().positive().default(15_000).describe('How long the question stays open, in milliseconds.'),
});

/** Completes as timed out if nobody answers in time. */
export const quickQuestion = defineTool({
  name: 'quick_question',
  description: 'Ask a quick question that is only open for a few seconds.',
  parameters,
  readOnly: true,
  hibernates: true,
  handler: ({ timeoutMs }, ctx) =>
    ctx.requestInteraction({
      type: 'input',
      prompt: 'Quick: tea or coffee?',
      presentation: 'composer',
      timeoutMs,
      inputSchema: {
        type: 'form',
        fields: [{ id: 'answer', type: 'radio', label: 'Answer', required: true, options: drinks }],
      },
      onResponse: completeAnswer,
      onTimeout: () => ({ complete: { ok: false, timedOut: true } }),
    }),
});

const drinks = toOptions('tea', 'coffee');

function completeAnswer({ action, input }: InteractionAnswer): Outcome {
  return { complete: action === 'submit' ? { ok: true, answer: input?.answer } : cancelled };
}

/** Continues if nobody answers in time; a late answer becomes a message (INT9). */
export const survey = defineTool({
  name: 'survey',
  description: 'Ask for feedback without blocking: a late answer arrives as a message.',
  parameters,
  readOnly: true,
  hibernates: true,
  handler: ({ timeoutMs }, ctx) =>
    ctx.requestInteraction({
      type: 'input',
      title: 'Feedback',
      prompt: 'How was it?',
      presentation: 'questionnaire',
      timeoutMs,
      inputSchema: {
        type: 'form',
        fields: [
          {
            id: 'rating',
            type: 'number',
            label: 'Rating',
            description: '1 to 5',
            required: true,
            min: 1,
            max: 5,
            step: 1,
          },
          { id: 'comment', type: 'textarea', label: 'Comment', maxLength: 1000 },
        ],
      },
      onResponse: completeForm,
      onTimeout: () => ({
        pending: { message: 'No answer yet. It will arrive as a message; continue without it.', queued: true },
      }),
    }),
});
