import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Json, JsonSchema } from '../basics/json.ts';
import { readSchema } from '../plugin/schemas.ts';
import { checkValues } from './field-check.ts';
import { fromFormValues, toFormValues } from './form-answer.ts';
import { formFromSchema } from './form-from-schema.ts';

const objectOf = (properties: Record<string, Json>, ...required: string[]) =>
  ({ type: 'object', properties, required }) as JsonSchema;

test.each<[string, property: Record<string, Json>, value: Json, shown: Json]>([
  ['a number', { enum: [1, 2.5] }, 2.5, '2.5'],
  ['a constant', { const: 7 }, 7, '7'],
  ['an object', { enum: [{ a: 1 }, 'b'] }, { a: 1 }, '{"a":1}'],
  ['a titled number', { oneOf: [{ const: 1, title: 'One' }, { const: 2 }] }, 2, '2'],
  ['one of a list', { type: 'array', items: { enum: [1, 2] } }, [2], ['2']],
  ['one beside null', { anyOf: [{ enum: [1, 2] }, { type: 'null' }] }, 1, '1'],
  ['a text', { enum: ['a', 'b'] }, 'b', 'b'],
])('[PLG9] a choice of any type is shown as text and converted back: %s', (_, property, value, shown) => {
  const schema = objectOf({ it: { ...property, default: value } });
  expect(formFromSchema(schema).fields).toMatchObject([{ id: 'it', defaultValue: shown }]);
  expect(toFormValues(schema, { it: value })).toEqual({ it: shown });
  expect(fromFormValues(schema, { it: shown })).toEqual({ it: value });
});

test('[PLG9] a name that is not a field id becomes a label, and is converted back', () => {
  const schema = objectOf({
    'first name': { type: 'string' },
    名前: { type: 'string', title: 'Name' },
    field0: { type: 'string' },
  });
  const ids = formFromSchema(schema).fields.map(({ id, label }) => [id, label]);
  expect(ids).toEqual([
    ['field0_', 'first name'],
    ['field1', 'Name'],
    ['field0', undefined],
  ]);
  const values = { 'first name': 'Ada', 名前: 'エイダ', field0: 'x' };
  expect(toFormValues(schema, values)).toEqual({ field0_: 'Ada', field1: 'エイダ', field0: 'x' });
  expect(fromFormValues(schema, toFormValues(schema, values))).toEqual(values);
});

test.each<[string, Record<string, Json>]>([
  ['types', { type: ['string', 'null'] }],
  ['a union', { anyOf: [{ type: 'string' }, { type: 'null' }] }],
  ['choices', { enum: ['a', null] }],
])('[PLG9] a nullable property, by %s, may be left empty, and is then null if it is required', (_, property) => {
  const schema = objectOf({ it: property }, 'it');
  expect(formFromSchema(schema).fields[0]).not.toHaveProperty('required');
  expect(fromFormValues(schema, {})).toEqual({ it: null });
  expect(fromFormValues(schema, { it: 'a' })).toEqual({ it: 'a' });
  expect(fromFormValues(objectOf({ it: property }), {})).toEqual({});
});

test.each<[string, property: Record<string, Json>, chosen: Json]>([
  ['the empty text', { enum: ['', 'Jr.'], default: 'Jr.' }, ''],
  ['the empty text by its JSON', { enum: ['', '""'] }, '""'],
  ['a number beside its text', { enum: [1, '1'] }, '1'],
  ['what is listed twice', { enum: ['a', 'a', 'b'] }, 'a'],
  ['the empty text of a list', { type: 'array', items: { enum: ['', 'b'] } }, ['', 'b']],
])('[PLG9] each value can be chosen, and is converted back: %s', (_, property, chosen) => {
  const schema = objectOf({ it: property }, 'it');
  const shown = toFormValues(schema, { it: chosen });
  expect(checkValues(formFromSchema(schema), shown, () => true)).toEqual({});
  expect(fromFormValues(schema, shown)).toEqual({ it: chosen });
});

const list = { type: 'array', items: { enum: ['a', 'b'] } };

test('[PLG9] a list that may be empty stays an empty list: its default does not return', () => {
  const schema = objectOf(
    { must: list, had: { ...list, default: ['a'] }, some: { ...list, minItems: 1, default: ['a'] }, may: list },
    'must',
  );
  expect(checkValues(formFromSchema(schema), {}, () => true)).toEqual({});
  expect(fromFormValues(schema, {})).toEqual({ must: [], had: [] });
});

test('[PLG9] a list with a minimum of one cannot be left empty', () => {
  const schema = objectOf({ it: { ...list, minItems: 1 } }, 'it');
  expect(checkValues(formFromSchema(schema), {}, () => true)).toEqual({ it: 'Required.' });
});

const at = '2026-03-31T09:30:00+02:00';

test.each<[string, z.ZodType, typed: string, read: string]>([
  ['UTC', z.iso.datetime(), at, '2026-03-31T07:30:00Z'],
  ['any offset', z.iso.datetime({ offset: true }), at, at],
  ['milliseconds', z.iso.datetime({ precision: 3 }), at, '2026-03-31T07:30:00.000Z'],
  ['milliseconds at an offset', z.iso.datetime({ precision: 3, offset: true }), at, '2026-03-31T09:30:00.000+02:00'],
  ['minutes', z.iso.datetime({ precision: -1 }), at, '2026-03-31T07:30Z'],
  ['no more than was said', z.iso.datetime({ precision: 0 }), '2026-03-31T09:30:00.5Z', '2026-03-31T09:30:00.5Z'],
  [
    'no offset',
    z
      .string()
      .regex(/^[\d-]+T[\d:]+$/)
      .meta({ format: 'date-time' }),
    at,
    '2026-03-31T09:30',
  ],
  ['seconds', z.iso.time({ precision: 0 }), '09:30', '09:30:00'],
  ['minutes of a day', z.iso.time({ precision: -1 }), '09:30', '09:30'],
  ['a month that there is not', z.iso.datetime(), '2026-13-31T09:30:00+02:00', '2026-13-31T09:30:00+02:00'],
  ['a day that there is not', z.iso.datetime(), '2026-02-30T09:30:00+02:00', '2026-02-30T09:30:00+02:00'],
])('[PLG9] a time is converted to the format of its schema: %s', async (_, property, typed, read) => {
  const { schema, jsonSchema } = readSchema(z.object({ at: property }), 'it');
  const values = fromFormValues(jsonSchema, { at: typed });
  expect(values).toEqual({ at: read });
  const result = await schema['~standard'].validate(values);
  expect(result.issues === undefined).toBe(
    !read.startsWith('2026-13') && !read.startsWith('2026-02-30') && !read.includes('.5Z'),
  );
});

test.each<[string, z.ZodType]>([
  ['with flags, which JSON Schema has not', z.string().regex(/^[a-z]{3}$/i)],
  ['with lines', z.string().regex(/^a$/m)],
])('[PLG9] a pattern %s is left to its schema', (_, property) => {
  const { jsonSchema } = readSchema(z.object({ it: property }), 'it');
  expect(formFromSchema(jsonSchema).fields).toEqual([{ id: 'it', type: 'text', required: true }]);
});

test.each(['^\\d{3}\\-\\d{4}$', '^\\@\\w+$', '^[\\w-.]+$', '^{.*}$', '^https\\:\\/\\/'])(
  '[PLG9] the pattern %s, which the flag u rejects, is checked by its schema only',
  (pattern) => {
    expect(formFromSchema(objectOf({ it: { type: 'string', pattern } })).fields).toEqual([{ id: 'it', type: 'text' }]);
  },
);
