import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { matches } from '../test/support/samples.ts';
import { formSchema } from './field.ts';
import { checkValues } from './field-check.ts';
import { formFromSchema } from './form-from-schema.ts';
import type { JsonSchema } from './json.ts';

function formOf(shape: z.ZodRawShape) {
  return formFromSchema(z.toJSONSchema(z.object(shape), { io: 'input' }) as JsonSchema);
}

/** The one field of a form with one property; what any has is left out. */
function fieldOf(property: z.ZodType) {
  const { id: _, required: __, ...field } = formOf({ it: property }).fields[0] ?? { id: '' };
  return field;
}

describe('a form from zod', () => {
  test.each<[string, z.ZodType, object]>([
    ['a text', z.string(), { type: 'text' }],
    ['a text with bounds', z.string().min(2).max(9), { type: 'text', minLength: 2, maxLength: 9 }],
    ['several lines', z.string().meta({ multiline: true }), { type: 'textarea' }],
    ['a secret', z.string().meta({ secret: true }), { type: 'secret' }],
    ['an email address', z.email(), { type: 'text', format: 'email' }],
    ['an address', z.url(), { type: 'text', format: 'uri' }],
    ['a date', z.iso.date(), { type: 'date' }],
    ['a time', z.string().meta({ format: 'time' }), { type: 'time' }],
    ['an instant', z.iso.datetime({ offset: true }), { type: 'datetime' }],
    ['a number', z.number().min(0.5).max(2), { type: 'number', min: 0.5, max: 2 }],
    ['a whole number', z.int(), { type: 'number', step: 1 }],
    ['a whole number with bounds', z.int().min(1).max(5), { type: 'number', step: 1, min: 1, max: 5 }],
    ['a yes or no', z.boolean(), { type: 'checkbox' }],
    ['few choices', z.enum(['a', 'b']), { type: 'radio', options: choices('a', 'b') }],
    ['many choices', z.enum(['a', 'b', 'c', 'd', 'e', 'f']), { type: 'select', options: choices(...'abcdef') }],
    [
      'a list of choices',
      z
        .array(z.enum(['a', 'b']))
        .min(1)
        .max(2),
      { type: 'multiselect', options: choices('a', 'b'), min: 1, max: 2 },
    ],
    [
      'choices with titles',
      z.union([z.literal('a').meta({ title: 'Apple' }), z.literal('b')]),
      {
        type: 'radio',
        options: [
          { value: 'a', label: 'Apple' },
          { value: 'b', label: 'b' },
        ],
      },
    ],
    ['a number of few, which is no text', z.literal([1, 2]), { type: 'number' }],
  ])('[PLG3] %s', (_, property, field) => {
    expect(fieldOf(property)).toEqual(field);
  });

  test('[PLG3] title, description and default carry over', () => {
    const property = z.string().default('Bern').meta({ title: 'City', description: 'Where to?' });
    expect(formOf({ it: property }).fields).toEqual([
      { id: 'it', type: 'text', label: 'City', description: 'Where to?', defaultValue: 'Bern' },
    ]);
  });

  test('[PLG3] what the schema requires is required, but no tick: false is an answer, too', () => {
    const form = formOf({ must: z.string(), may: z.string().optional(), agree: z.boolean() });
    expect(form.fields.map(({ id, required }) => [id, required])).toEqual([
      ['must', true],
      ['may', undefined],
      ['agree', undefined],
    ]);
  });

  test.each<[string, z.ZodType]>([
    ['an object', z.object({})],
    ['a list of texts', z.array(z.string())],
    ['null', z.null()],
    ['anything', z.any()],
  ])('[PLG3] %s fits no field and its property is named', (_, property) => {
    expect(() => formOf({ it: property })).toThrow(/"it" fits no field/);
  });

  test('[PLG3] only an object makes a form', () => {
    expect(() => formFromSchema({ type: 'string' })).toThrow(TypeError);
    expect(() => formFromSchema({ type: 'object' })).toThrow(TypeError);
    expect(() => formFromSchema({ type: 'object', properties: { it: true } })).toThrow(/"it" has no schema/);
  });

  test('[PLG3] names that stand beside an enum are its labels', () => {
    const it = { type: 'string', enum: ['a', 'b'], enumNames: ['Apple'] };
    expect(formFromSchema({ type: 'object', properties: { it } }).fields[0]?.options).toEqual([
      { value: 'a', label: 'Apple' },
      { value: 'b', label: 'b' },
    ]);
  });
});

describe('a pattern', () => {
  test.each<[RegExp, string, string]>([
    [/^[a-z]+$/, 'abc', 'ab1'],
    [/\d/, 'room 5', 'room'],
    [/^a|b$/, 'apple', 'xay'],
    [/^a/, 'ab\ncd', 'ba'],
    [/a\$$/, 'xa$', 'a$x'],
    [/^a\$/, 'a$x', 'xa$'],
    [/^(a|b)$/, 'b', 'bb'],
  ])('[PLG3] %s is found as the schema finds it: in %j, not in %j', (pattern, fitting, unfitting) => {
    const form = formSchema.parse(formOf({ it: z.string().regex(pattern) }));
    expect(checkValues(form, { it: fitting }, matches)).toEqual({});
    expect(checkValues(form, { it: unfitting }, matches)).toEqual({ it: 'Does not have the expected form.' });
  });

  test('[PLG3] too long for a field is left to the schema', () => {
    expect(fieldOf(z.string().regex(new RegExp('x'.repeat(257))))).toEqual({ type: 'text' });
  });
});

test('[PLG3] the form refuses no text that the schema takes, but the empty one that it requires', () => {
  const pattern = fc.constantFrom(/^[a-c]+$/, /[a-c]/, /^a|c$/, /b+$/, /^(?:ab|c)$/);
  fc.assert(
    fc.property(
      pattern,
      fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', '\n'), minLength: 1 }),
      (source, text) => {
        const schema = z.object({ it: z.string().regex(source) });
        const form = formFromSchema(z.toJSONSchema(schema) as JsonSchema);
        expect(Object.keys(checkValues(form, { it: text }, matches)).length === 0).toBe(
          schema.safeParse({ it: text }).success,
        );
      },
    ),
  );
});

function choices(...values: string[]) {
  return values.map((value) => ({ value, label: value }));
}
