import { audienceSchema, defineTool, isAnswer } from '@parleyhq/core';
import * as z from 'zod';
import { answeredBy, asking, comments, hearComments, risk, shownText, timeoutSeconds, waitFor } from './asking.ts';
import { elicitationSchema } from './elicitation-schema.ts';
import { findFaults, readAnswer, toForm } from './human-form.ts';

const option = z.strictObject({ label: z.string().min(1), description: z.string().optional() });

const parameters = z
  .strictObject({
    question: shownText,
    title: shownText.optional(),
    options: z.array(option).min(1).optional().describe('What to choose from. The answer is the label.'),
    multiple: z.boolean().optional().describe('Several options may be chosen. The answer is then a list.'),
    other: z.boolean().optional().describe('The person may also write an answer of their own.'),
    schema: elicitationSchema.optional().describe('Several values at once, as a flat object.'),
    form: z.record(z.string(), z.unknown()).optional().describe('Several values at once, as a form of Parley.'),
    risk: risk.optional(),
    timeoutSeconds: timeoutSeconds.optional(),
    audience: z.strictObject(audienceSchema.shape).optional().describe('Who may answer.'),
    comments: comments.optional(),
  })
  .superRefine((args, { addIssue }) => {
    for (const [name, message] of findFaults(args)) addIssue({ code: 'custom', path: [name], message });
  });

export const askHuman = defineTool({
  name: 'ask_human',
  description:
    'Ask a person and wait for the answer: a text, a choice ("options"), or several values at once ("schema" or "form").',
  parameters,
  ...asking,
  async handler(args, ctx) {
    const { question, title, risk, audience, timeoutSeconds } = args;
    const said = await ctx.requestInteraction({
      type: 'input',
      title,
      prompt: question,
      inputSchema: toForm(args),
      risk,
      audience,
      ...waitFor(timeoutSeconds),
      ...hearComments(args.comments),
    });
    if (!isAnswer(said)) return { ok: false, error: 'timeout' };
    const answered = { ...(said.reason !== undefined && { reason: said.reason }), ...answeredBy(said) };
    if (said.action !== 'submit') return { ok: false, cancelled: true, ...answered };
    return { ok: true, ...readAnswer(args, said.input ?? {}), ...answered };
  },
});
