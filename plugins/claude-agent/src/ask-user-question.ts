import {
  defineTool,
  type Field,
  type FormSchema,
  type FormValues,
  isRecord,
  type Json,
  type Section,
} from '@parleyhq/core';
import * as z from 'zod';
import type { CallDesk } from './call-desk.ts';

const option = z.looseObject({ label: z.string(), description: z.string().optional() });

const question = z.looseObject({
  question: z.string().min(1),
  header: z.string().optional(),
  options: z.array(option).min(1),
  multiSelect: z.boolean().optional(),
});

const parameters = z.looseObject({ questions: z.array(question).min(1).max(10) });

type Question = z.infer<typeof question>;

/** The model's questions as a form with a step for each: its choices, free text, and a note. */
function toForm(questions: readonly Question[]): FormSchema {
  const steps = questions.map(toStep);
  return {
    type: 'form',
    ...(questions.length > 1 && { layout: 'stepper' as const }),
    fields: steps.flatMap(({ fields }) => fields),
    sections: steps.map(({ section }) => section),
  };
}

function toStep({ question: label, header, options, multiSelect }: Question, index: number) {
  const [id, note] = [answerId(index), noteId(index)];
  const fields: Field[] = [
    {
      id,
      type: multiSelect ? 'multiselect' : 'radio',
      label,
      ...(header !== undefined && { header }),
      options: options.map(({ label: value, description }) => ({
        value,
        label: value,
        ...(description !== undefined && { description }),
      })),
      other: true,
      required: true,
    },
    { id: note, type: 'text', label: 'Notes', description: 'Anything to add?' },
  ];
  const section: Section = { id: `step${index + 1}`, fields: [id, note] };
  return { fields, section };
}

/** The answers as the SDK expects them, keyed by the text of the question; unanswered questions are left out. */
function toAnswers(questions: readonly Question[], input: FormValues) {
  const answers: Record<string, string> = {};
  const annotations: Record<string, { notes: string }> = {};
  for (const [index, { question: text }] of questions.entries()) {
    const answer = toText(input[answerId(index)]);
    const notes = toText(input[noteId(index)]);
    if (answer !== '') answers[text] = answer;
    if (notes !== '') annotations[text] = { notes };
  }
  return { answers, ...(Object.keys(annotations).length > 0 && { annotations }) };
}

function toText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(toText).join(', ');
  return isRecord(value) && typeof value.other === 'string' ? value.other : '';
}

const answerId = (index: number) => `answer${index + 1}`;
const noteId = (index: number) => `notes${index + 1}`;

export function makeAskUserQuestion(desk: CallDesk) {
  return defineTool({
    name: 'AskUserQuestion',
    description: 'Ask the person questions with choices.',
    parameters,
    readOnly: true, // asking again after a restart is harmless
    timeoutMs: desk.timeoutMs,
    async handler(args, ctx) {
      const { questions } = args;
      const input = await ctx.requestInteraction({
        type: 'input',
        key: 'questions',
        presentation: 'questionnaire',
        inputSchema: toForm(questions),
        timeoutMs: desk.promptTimeoutMs,
        onUnavailable: 'wait',
        onResponse: ({ action, input: filled = {} }) => ({ complete: action === 'submit' ? filled : null }),
      });
      if (isRecord(input) && input.error === 'timeout') throw ctx.error('timeout', 'Nobody answered in time.');
      if (!isRecord(input)) throw ctx.error('cancelled', 'The person did not want to answer this.');
      return desk.run(ctx, { ...args, ...toAnswers(questions, input as FormValues) });
    },
  });
}
