import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';

const form = { type: 'form', fields: [{ id: 'answer', type: 'text', label: 'Answer' }] };

let dataDir;

/** Tools that only ask people, and one that does more. */
export default {
  name: 'asking',
  setup(host) {
    dataDir = host.dataDir;
  },
  tools: [
    {
      name: 'ask_one',
      description: 'Asks one question.',
      parameters: { type: 'object', properties: { question: { type: 'string' } } },
      asking: true,
      readOnly: true,
      onInterrupted: 'retry',
      handler: ({ question }, ctx) =>
        ctx.requestInteraction({
          type: 'input',
          prompt: question,
          inputSchema: form,
          timeoutMs: null,
          onUnavailable: 'wait',
          onResponse: ({ action, input }) => ({
            complete: action === 'submit' ? { answer: input.answer } : { cancelled: true },
          }),
          onCancel: () => appendFile(join(dataDir, 'cancelled'), `${question}\n`),
        }),
    },
    {
      name: 'ask_about_call',
      description: 'Asks about a call of the caller’s, which has a number.',
      parameters: { type: 'object', properties: { callId: { type: 'number' } } },
      asking: true,
      readOnly: true,
      handler: ({ callId }, ctx) =>
        ctx.requestInteraction({
          type: 'input',
          prompt: `About ${callId}?`,
          inputSchema: form,
          timeoutMs: null,
          onUnavailable: 'wait',
        }),
    },
    {
      name: 'ask_secret',
      description: 'Asks for a password.',
      parameters: { type: 'object' },
      asking: true,
      readOnly: true,
      handler: (_, ctx) =>
        ctx.requestInteraction({
          type: 'input',
          prompt: 'Password?',
          inputSchema: { type: 'form', fields: [{ id: 'password', type: 'secret', label: 'Password' }] },
          timeoutMs: null,
          onUnavailable: 'wait',
          onResponse: ({ input }) => ({ complete: { values: input, said: `It is ${input.password}.` } }),
        }),
    },
    {
      name: 'do_more',
      description: 'Does something.',
      parameters: { type: 'object' },
      handler: () => 'done',
    },
  ],
};
