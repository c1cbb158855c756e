import { formSchema } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { questionsSchema, toAnswers, toQuestionForm } from './questions.ts';

const questions = [
  { question: 'Which colour?', header: 'Colour', options: [{ label: 'Red', description: 'Warm' }, { label: 'Blue' }] },
  { question: 'Which sizes?', options: [{ label: 'S' }, { label: 'M' }], multiSelect: true },
];

test('[AGT3, ASK3] questions become a stepper with choices, free text and notes', () => {
  const form = formSchema.parse(toQuestionForm(questions));
  expect(form.layout).toBe('stepper');
  expect(form.fields).toMatchObject([
    { id: 'answer1', type: 'radio', label: 'Which colour?', header: 'Colour', other: true, required: true },
    { id: 'notes1', type: 'text' },
    { id: 'answer2', type: 'multiselect', label: 'Which sizes?', other: true },
    { id: 'notes2', type: 'text' },
  ]);
  expect(form.fields[0]?.options?.[0]).toEqual({ value: 'Red', label: 'Red', description: 'Warm' });
});

test('[AGT3] an option keeps its preview, unless that is longer than a form may show', () => {
  const [short, long] = ['┌─┐', 'x'.repeat(8193)];
  const options = [
    { label: 'Box', preview: short },
    { label: 'Wall', preview: long },
  ];
  const form = formSchema.parse(toQuestionForm([{ question: 'Which?', options }]));
  expect(form.fields[0]?.options).toEqual([
    { value: 'Box', label: 'Box', preview: short },
    { value: 'Wall', label: 'Wall' },
  ]);
});

test('[AGT3, ASK3] answers are keyed by the text of their question', () => {
  expect(toAnswers(questions, { answer1: { other: 'Green' }, answer2: ['S', 'M'], notes2: 'Both.' })).toEqual({
    answers: { 'Which colour?': 'Green', 'Which sizes?': 'S, M' },
    annotations: { 'Which sizes?': { notes: 'Both.' } },
  });
  expect(toAnswers(questions, { answer1: 'Red' })).toEqual({ answers: { 'Which colour?': 'Red' } });
});

test('[AGT3, ASK3] two questions with the same text are refused, because their answers would be ambiguous', () => {
  const twice = questionsSchema.safeParse({ questions: [questions[0], questions[0]] });
  expect(twice.error?.issues[0]?.message).toBe('each question needs a text of its own');
});
