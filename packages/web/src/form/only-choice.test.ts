import type { Field, FormSchema } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { findOnlyChoice, findWordsField, fromWords, readLabel, toDrawn } from './only-choice.ts';

const options = [{ value: 'a', label: 'A' }];
const choice: Field = { id: 'one', type: 'radio', label: 'Which?', required: true, options };
const note: Field = { id: 'note', type: 'text' };
const form = (...fields: Field[]): FormSchema => ({ type: 'form', fields });

test('[WEB5] one click answers a form only if it is a single required choice, at most with notes', () => {
  expect(findOnlyChoice(form(choice))).toBe(choice);
  expect(findOnlyChoice(form(choice, note))).toBe(choice);
  expect(findOnlyChoice(form({ ...choice, required: false }))).toBeUndefined();
  expect(findOnlyChoice(form(choice, { ...note, required: true }))).toBeUndefined();
  expect(findOnlyChoice(form(choice, { id: 'many', type: 'multiselect', options }))).toBeUndefined();
  expect(findOnlyChoice(form({ ...choice, type: 'multiselect' }))).toBeUndefined();
  expect(findOnlyChoice(form(choice, null as never))).toBeUndefined();
});

test('[WEB5] a short list that is the only choice is shown as rows; a long list, or one of several fields, stays a list', () => {
  const list: Field = { ...choice, type: 'select' };
  const long: Field = { ...list, options: Array.from({ length: 7 }, (_, n) => ({ value: `${n}`, label: `${n}` })) };
  const short = form(list, note);
  expect(toDrawn(short)).toEqual(form(choice, note));
  expect(toDrawn(short)).toBe(toDrawn(short));
  for (const other of [form(choice), form(long), form({ ...list, required: false }), form(list, choice)])
    expect(toDrawn(other)).toBe(other);
});

test('[WEB9] words answer a choice or a text field, but no form that asks for more', () => {
  const free = { ...choice, other: true };
  expect(findWordsField(form(free, note))).toBe(free);
  expect(findWordsField(form(note))).toBe(note);
  expect(findWordsField(form(choice))).toBe(choice);
  expect(findWordsField(form(free, { ...note, required: true }))).toBeUndefined();
  expect(findWordsField({ ...form(free, note), layout: 'stepper' })).toBeUndefined();
  expect(findWordsField(form({ id: 'pin', type: 'secret' }))).toBeUndefined();
  expect(findWordsField(form({ id: 'day', type: 'date' }))).toBeUndefined();
  expect(findWordsField(form(null as never))).toBeUndefined();
});

test('[WEB9] words choose the option with this label, else the one with this number, else are free text if that is taken', () => {
  const options = ['PostgreSQL (Recommended)', 'SQLite', '1'].map((label, n) => ({ value: `v${n}`, label }));
  const one: Field = { ...choice, options };
  const chosen = (words: string, part: Partial<Field> = {}) => fromWords({ ...one, ...part }, words);
  expect(['postgresql', ' SQLITE ', '2', '1'].map((words) => chosen(words))).toEqual(['v0', 'v1', 'v1', 'v2']);
  expect(['0', '4', '-1', '1e0', 'Oracle', 'SQLite, 1'].map((words) => chosen(words))).toEqual(
    Array(6).fill(undefined),
  );
  expect(chosen('Oracle', { other: true })).toEqual({ other: 'Oracle' });
  expect(chosen('2', { other: true })).toBe('v1');
  const many = { type: 'multiselect' } as const;
  expect(chosen('sqlite', many)).toEqual(['v1']);
  expect(chosen('1, 2, SQLite', many)).toEqual(['v2', 'v1']);
  expect(chosen('1, Oracle', many)).toBeUndefined();
  expect(chosen('1, Oracle', { ...many, other: true })).toEqual([{ other: '1, Oracle' }]);
  expect(fromWords(note, '2')).toBe('2');
});

test('[WEB5] "(Recommended)" in a label becomes a mark and leaves the label', () => {
  expect(readLabel('Luxon (Recommended)')).toEqual({ words: 'Luxon', isRecommended: true });
  expect(readLabel('Luxon')).toEqual({ words: 'Luxon', isRecommended: false });
  expect(readLabel('(recommended)')).toEqual({ words: '(recommended)', isRecommended: false });
});
