import { defineTool, type InteractionAnswer, type Outcome } from '@parleyhq/core';
import * as z from 'zod';
import { cancelled } from './form-result.ts';

const fault = 'Invalid email address';

/** Asks until the answer looks like an email address. The field has no format, to show a check in the tool instead. */
export const collectEmail = defineTool({
  name: 'collect_email',
  description: 'Ask the person for an email address, and again until it is a valid one.',
  parameters: z.object({}),
  readOnly: true,
  hibernates: true,
  handler: (_args, ctx) =>
    ctx.requestInteraction({
      type: 'input',
      prompt: 'What is your email address?',
      inputSchema: {
        type: 'form',
        fields: [{ id: 'email', type: 'text', label: 'Email', required: true, maxLength: 254 }],
      },
      onResponse: checkEmail,
    }),
});

function checkEmail({ action, input }: InteractionAnswer): Outcome {
  if (action === 'cancel') return { complete: cancelled };
  const email = String(input?.email ?? '').trim();
  if (/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) return { complete: { ok: true, email } };
  return { reprompt: { error: fault, fieldErrors: { email: fault } } };
}
