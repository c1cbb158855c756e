import {
  type Field,
  type FormSchema,
  type FormValues,
  isRecord,
  type Json,
  maxPreviewLength,
  type Section,
} from '@parleyhq/core';
import * as z from 'zod/mini';

const option = z.looseObject({
  label: z.string(),
  description: z.optional(z.string()),
  preview: z.optional(z.string()),
});

const question = z.looseObject({
  question: z.string().check(z.minLength(1)),
  header: z.optional(z.string()),
  options: z.array(option).check(z.minLength(1)),
  multiSelect: z.optional(z.boolean()),
});

/** The arguments of `AskUserQuestion`. Answers are keyed by the text of their question. */
export const questionsSchema = z.looseObject({
  questions: z.array(question).check(
    z.minLength(1),
    z.maxLength(10),
    z.refine((questions) => areDistinct(questions.map(({ question: text }) => text)), {
      error: 'each question needs a text of its own',
    }),
  ),
});

type Question = z.infer<typeof question>;

function areDistinct(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}

/** Converts the model's questions to a form with a step for each: its choices, free text, and a note. */
export function toQuestionForm(questions: readonly Question[]): FormSchema {
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
      options: options.map(({ label: value, description, preview }) => ({
        value,
        label: value,
        ...(description !== undefined && { description }),
        ...(preview !== undefined && preview.length <= maxPreviewLength && { preview }),
      })),
      other: true,
      required: true,
    },
    { id: note, type: 'text', label: 'Notes', description: 'Anything to add?' },
  ];
  const section: Section = { id: `step${index + 1}`, fields: [id, note] };
  return { fields, section };
}

/** Returns the answers as Claude Code expects them, keyed by the text of the question; unanswered questions are left out. */
export function toAnswers(questions: readonly Question[], input: FormValues) {
  const answers = collect(questions, (index) => toText(input[answerId(index)]));
  const notes = collect(questions, (index) => toText(input[noteId(index)]));
  const annotations = Object.entries(notes).map(([text, said]) => [text, { notes: said }]);
  return { answers, ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }) };
}

function collect(questions: readonly Question[], read: (index: number) => string): Record<string, string> {
  const pairs = questions.map(({ question: text }, index) => [text, read(index)]);
  return Object.fromEntries(pairs.filter(([, said]) => said !== ''));
}

function toText(value: Json | undefined): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(toText).join(', ');
  return isRecord(value) && typeof value.other === 'string' ? value.other : '';
}

const answerId = (index: number) => `answer${index + 1}`;
const noteId = (index: number) => `notes${index + 1}`;
