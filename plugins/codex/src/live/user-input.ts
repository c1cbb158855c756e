import { type Field, type FormSchema, type FormValues, isRecord, type Json, type Section } from '@parleyhq/core';
import type { UserQuestion } from './question.ts';

/** Converts the questions of Codex's model to a form, with a step for each. */
export function toForm(questions: readonly UserQuestion[]): FormSchema {
  const fields = questions.map(toField);
  const sections: Section[] = fields.map(({ id }) => ({ id: `step-${id}`, fields: [id] }));
  return { type: 'form', fields, ...(fields.length > 1 && { layout: 'stepper' as const, sections }) };
}

/** What a secret may be chosen from is shown as words only, because the choice would be stored in the log. */
function toField({ header, question: label, isOther, isSecret, options }: UserQuestion, index: number): Field {
  const common = { id: idOf(index), label, ...(header && { header }), required: true };
  const named = options ?? [];
  if (isSecret) {
    const words = named.map(({ label: name, description }) => (description ? `${name}: ${description}` : name));
    return { ...common, type: 'secret', ...(words.length > 0 && { description: words.join('; ') }) };
  }
  if (named.length === 0) return { ...common, type: 'textarea' };
  return {
    ...common,
    type: 'radio',
    options: named.map(({ label: value, description }) => ({
      value,
      label: value,
      ...(description && { description }),
    })),
    ...(isOther && { other: true }),
  };
}

/** Returns the answers as Codex takes them, by the id of the question. */
export function toAnswers(
  questions: readonly UserQuestion[],
  input: FormValues,
): Record<string, { answers: string[] }> {
  return Object.fromEntries(questions.map(({ id }, index) => [id, { answers: [toText(input[idOf(index)])] }]));
}

function toText(value: Json | undefined): string {
  if (isRecord(value) && typeof value.other === 'string') return value.other;
  return typeof value === 'string' ? value : '';
}

function idOf(index: number): string {
  return `answer${index + 1}`;
}
