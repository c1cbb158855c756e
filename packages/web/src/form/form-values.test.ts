import type { FormSchema } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { findSteps, readInput, startInput, withoutSecrets } from './form-values.ts';

const form: FormSchema = {
  type: 'form',
  fields: [
    { id: 'age', type: 'number', defaultValue: 7 },
    { id: 'news', type: 'checkbox' },
    { id: 'way', type: 'radio', options: [{ value: 'a', label: 'A' }], other: true },
    { id: 'phone', type: 'text', when: { field: 'news', equals: true } },
    { id: 'pin', type: 'secret' },
    { id: 'extra', type: 'checkbox' },
    { id: 'street', type: 'text', required: true },
  ],
  sections: [{ id: 'more', optional: true, fields: ['extra', 'street'] }],
};

test('[INT16] an untouched form submits its defaults and false for a checkbox, and nothing for an optional section', () => {
  expect(readInput(form, startInput(form))).toEqual({ age: 7, news: false });
});

test('[INT16] numbers are numbers, free choices are marked, hidden values are dropped', () => {
  const input = { age: ' 12 ', way: { other: 'by sea' }, phone: '1', street: 'x', extra: false };
  expect(readInput(form, input)).toEqual({ age: 12, news: false, way: { other: 'by sea' }, street: 'x', extra: false });
  expect(readInput(form, { ...input, news: true })).toMatchObject({ phone: '1' });
});

test('[INT16] an invalid number stays as typed, so that the core refuses it', () => {
  expect(readInput(form, { age: '1e' })).toMatchObject({ age: '1e' });
});

test('[INT17] a redacted value is not filled in, and a secret is sent only in the answer', () => {
  expect(startInput(form, { pin: { redacted: true } })).not.toHaveProperty('pin');
  expect(withoutSecrets(form, { pin: '1234', age: '3' })).toEqual({ age: '3' });
});

test('[INT16] sections are steps, other fields are grouped; a stepper without sections has one step per field', () => {
  expect(findSteps(form, {}).map(({ id, fields }) => [id, fields.length])).toEqual([
    ['rest', 4],
    ['more', 2],
  ]);
  const { sections: _, ...flat } = form;
  expect(findSteps({ ...flat, layout: 'stepper' }, {})).toHaveLength(6);
});
