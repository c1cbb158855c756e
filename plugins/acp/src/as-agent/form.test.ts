import type { FormSchema } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { toEditorForm } from './form.ts';

const options = [
  { value: 'a', label: 'A', description: 'the first' },
  { value: 'b', label: 'B' },
];
const form: FormSchema = {
  type: 'form',
  fields: [
    { id: 'text', type: 'text', label: 'Text', required: true, minLength: 2, maxLength: 9, pattern: '\\w+' },
    { id: 'mail', type: 'text', format: 'email' },
    { id: 'notes', type: 'textarea', description: 'Anything else' },
    { id: 'number', type: 'number', min: 1, max: 5, step: 2, defaultValue: 3 },
    { id: 'box', type: 'checkbox', defaultValue: true },
    { id: 'one', type: 'select', options },
    { id: 'many', type: 'multiselect', options, required: true, max: 2 },
    { id: 'free', type: 'radio', options, other: true, required: true },
    { id: 'list', type: 'multiselect', options, other: true },
    { id: 'day', type: 'date' },
    { id: 'hour', type: 'time' },
    { id: 'moment', type: 'datetime' },
    { id: 'late', type: 'text', required: true },
  ],
  sections: [{ id: 'more', optional: true, fields: ['late'] }],
};
const choices = [
  { const: 'a', title: 'A', description: 'the first' },
  { const: 'b', title: 'B' },
];

test('[ACP3] each plain field has its type, constraints and default value', () => {
  const { schema } = toEditorForm(form, { text: 'hello', many: ['a'] }) ?? {};
  expect(schema?.required).toEqual(['text', 'many']);
  expect(schema?.properties).toEqual({
    text: { type: 'string', title: 'Text', minLength: 2, maxLength: 9, pattern: '^(?:\\w+)$', default: 'hello' },
    mail: { type: 'string', title: 'mail', format: 'email' },
    notes: { type: 'string', title: 'notes', description: 'Anything else' },
    number: { type: 'number', title: 'number', minimum: 1, maximum: 5, default: 3 },
    box: { type: 'boolean', title: 'box', default: true },
    one: { type: 'string', title: 'one', oneOf: choices },
    many: { type: 'array', title: 'many', items: { anyOf: choices }, minItems: 1, maxItems: 2, default: ['a'] },
    free: { type: 'string', title: 'free', oneOf: choices },
    free_other: { type: 'string', title: 'free: another answer' },
    list: { type: 'array', title: 'list', items: { anyOf: choices } },
    list_other: { type: 'string', title: 'list: another answer' },
    day: { type: 'string', title: 'day', format: 'date' },
    hour: { type: 'string', title: 'hour', pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' },
    moment: { type: 'string', title: 'moment', format: 'date-time' },
    late: { type: 'string', title: 'late', minLength: 1 },
  });
});

test('[ACP3] values come back by field; an own text is a free choice, and what is empty is absent', () => {
  const read = (content: unknown) => toEditorForm(form)?.read(content);
  expect(read({ text: 'hi', number: 3, box: false, one: '', notes: null })).toEqual({
    text: 'hi',
    number: 3,
    box: false,
  });
  expect(read({ free: 'a', free_other: 'c', list: ['a'], list_other: 'd' })).toEqual({
    free: { other: 'c' },
    list: ['a', { other: 'd' }],
  });
  expect(read({ free: 'a', free_other: '', list_other: 'd' })).toEqual({ free: 'a', list: [{ other: 'd' }] });
  expect(read(JSON.parse('{"__proto__": "x", "toString": "y"}'))).toEqual({});
  expect([read(undefined), read('text'), read([])]).toEqual([{}, {}, {}]);
});

test.each([
  [{ id: 'x', type: 'secret' }],
  [{ id: 'x', type: 'file' }],
  [{ id: 'x', type: 'text', when: { field: 'y', equals: 'z' } }],
  [{ id: 'x', type: 'radio', options: [{ value: 'a', label: 'A', preview: 'a picture in text' }] }],
] as const)('[ACP3] a form with %j is not for editors', (field) => {
  expect(toEditorForm({ type: 'form', fields: [{ id: 'y', type: 'text' }, field as never] })).toBeUndefined();
});

test('[ACP3] neither is one in which a free choice has no name of its own', () => {
  const fields = [
    { id: 'x', type: 'radio', options, other: true },
    { id: 'x_other', type: 'text' },
  ] as never;
  expect(toEditorForm({ type: 'form', fields })).toBeUndefined();
});
