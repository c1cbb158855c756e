import { defineTool, type Field, type Json } from '@parleyhq/core';
import * as z from 'zod';
import { askForm } from './form-result.ts';
import { toOptions } from './options.ts';

const questions: readonly Field[] = [
  { id: 'colour', type: 'text', label: 'Which colour?', required: true },
  { id: 'animal', type: 'radio', label: 'Which animal?', required: true, options: toOptions('cat', 'dog') },
  { id: 'number', type: 'number', label: 'Which number?', required: true, step: 1 },
];

/** Opens three prompts at once, to answer in any order. Their keys identify them after a restart (INT13, DUR5). */
export const askParallel = defineTool({
  name: 'ask_parallel',
  description: 'Ask three questions at once and wait for all of them.',
  parameters: z.object({}),
  readOnly: true,
  hibernates: true,
  async handler(_args, ctx) {
    const results = await Promise.all(
      questions.map((field) =>
        askForm(ctx, { key: field.id, prompt: field.label, inputSchema: { type: 'form', fields: [field] } }),
      ),
    );
    const answers: Record<string, Json> = {};
    for (const result of results) if (result.ok) Object.assign(answers, result.values);
    return { ok: results.every((result) => result.ok), answers };
  },
});
