import { defineTool } from '@parleyhq/core';
import * as z from 'zod';

const choice = z.union([z.string(), z.object({ value: z.string(), label: z.string() })]);

const parameters = z.object({
  question: z.string().min(1),
  inputType: z
    .enum(['text', 'textarea', 'number', 'checkbox', 'select', 'multiselect', 'radio', 'date', 'time', 'datetime'])
    .optional()
    .describe('The type of the answer. By default select if there are options, else text.'),
  options: z.array(choice).min(1).optional().describe('The options of a select, multiselect or radio.'),
});

export const askUser = defineTool({
  name: 'ask_user',
  description: 'Ask the person one question and wait for the answer.',
  parameters,
  readOnly: true, // asking again is harmless, so a restart needs no approval
  hibernates: true,
  handler({ question, inputType, options: choices }, ctx) {
    const type = inputType ?? (choices ? 'select' : 'text');
    const options = choices?.map((option) => (typeof option === 'string' ? { value: option, label: option } : option));
    const required = type !== 'checkbox'; // a required checkbox must be ticked, so nobody could answer no
    return ctx.requestInteraction({
      type: 'input',
      prompt: question,
      inputSchema: { type: 'form', fields: [{ id: 'answer', type, label: 'Answer', required, options }] },
      onResponse: ({ action, input }) => {
        if (action === 'cancel') return { complete: { ok: false, cancelled: true } };
        return { complete: { ok: true, answer: input?.answer ?? false } }; // only an unticked checkbox has no value
      },
    });
  },
});
