import type { Field, FormSchema } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { findOnlyChoice, findTextField, fromText, readLabel, toDrawn } from './only-choice.ts';

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

test('[WEB9] a message answers a choice with free text or a text field, but no form that asks for more', () => {
  const free = { ...choice, other: true };
  expect(findTextField(form(free, note))).toBe(free);
  expect(findTextField(form(note))).toBe(note);
  expect(findTextField(form(choice))).toBeUndefined();
  expect(findTextField(form(free, { ...note, required: true }))).toBeUndefined();
  expect(findTextField({ ...form(free, note), layout: 'stepper' })).toBeUndefined();
  expect(findTextField(form({ id: 'pin', type: 'secret' }))).toBeUndefined();
  expect(findTextField(form(null as never))).toBeUndefined();
  expect(fromText(note, 'x')).toBe('x');
  expect(fromText(free, 'x')).toEqual({ other: 'x' });
  expect(fromText({ ...free, type: 'multiselect' }, 'x')).toEqual([{ other: 'x' }]);
});

test('[WEB5] "(Recommended)" in a label becomes a mark and leaves the label', () => {
  expect(readLabel('Luxon (Recommended)')).toEqual({ words: 'Luxon', isRecommended: true });
  expect(readLabel('Luxon')).toEqual({ words: 'Luxon', isRecommended: false });
  expect(readLabel('(recommended)')).toEqual({ words: '(recommended)', isRecommended: false });
});
