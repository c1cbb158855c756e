import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { matches } from '../../test/support/samples.ts';
import type { JsonSchema } from '../basics/json.ts';
import { formSchema } from './field.ts';
import { checkValues } from './field-check.ts';
import { formFromSchema } from './form-from-schema.ts';

function formOf(shape: z.ZodRawShape) {
  return formFromSchema(z.toJSONSchema(z.object(shape), { io: 'input' }) as JsonSchema);
}

/** The only field of a form with one property, without the members that every field has. */
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
    [
      'a number of few',
      z.literal([1, 2]),
      {
        type: 'radio',
        options: [
          { value: '1', label: '1' },
          { value: '2', label: '2' },
        ],
      },
    ],
    [
      'one choice',
      z.literal('a').meta({ title: 'Apple' }),
      { type: 'radio', label: 'Apple', options: [{ value: 'a', label: 'Apple' }] },
    ],
    [
      'a secret with bounds',
      z
        .string()
        .min(8)
        .max(20)
        .regex(/^[a-z]+$/)
        .meta({ secret: true }),
      { type: 'secret', minLength: 8, maxLength: 20, pattern: '[a-z]+' },
    ],
    ['a number above another', z.number().gt(0).lt(1), { type: 'number', moreThan: 0, lessThan: 1 }],
    ['a whole number above another', z.int().gt(0).lt(10), { type: 'number', step: 1, min: 1, max: 9 }],
    ['multiples', z.number().multipleOf(5).min(3).lt(20), { type: 'number', step: 5, min: 5, max: 15 }],
    ['tenths above another', z.number().gt(0.3).multipleOf(0.1), { type: 'number', step: 0.1, min: 0.4 }],
    ['halves', z.number().multipleOf(0.5), { type: 'number', step: 0.5 }],
    ['a date with bounds', z.iso.date().meta({ min: '2026-01-01' }), { type: 'date', min: '2026-01-01' }],
    [
      'what zod has no words for',
      z.string().meta({ placeholder: 'Bern', header: 'Where', when: { field: 'a', equals: true } }),
      { type: 'text', placeholder: 'Bern', header: 'Where', when: { field: 'a', equals: true } },
    ],
    [
      'choices and another',
      z.enum(['a', 'b']).meta({ other: true, enumNames: ['Apple', 'Pear'] }),
      {
        type: 'radio',
        other: true,
        options: [
          { value: 'a', label: 'Apple' },
          { value: 'b', label: 'Pear' },
        ],
      },
    ],
  ])('[PLG3, PLG9] %s', (_, property, field) => {
    expect(fieldOf(property)).toEqual(field);
  });

  test('[PLG3] title, description and default carry over', () => {
    const property = z.string().default('Bern').meta({ title: 'City', description: 'Where to?' });
    expect(formOf({ it: property }).fields).toEqual([
      { id: 'it', type: 'text', label: 'City', description: 'Where to?', defaultValue: 'Bern' },
    ]);
  });

  test('[PLG3] what the schema requires is required, except a tick: false is an answer, too', () => {
    const form = formOf({ must: z.string(), may: z.string().optional(), agree: z.boolean() });
    expect(form.fields.map(({ id, required }) => [id, required])).toEqual([
      ['must', true],
      ['may', undefined],
      ['agree', undefined],
    ]);
  });

  test('[PLG9] a checkbox that must be true is required, and so can be a conditional field', () => {
    const when = { field: 'agree', equals: true };
    const form = formOf({ agree: z.literal(true), why: z.string().optional().meta({ when, required: true }) });
    expect(form.fields).toEqual([
      { id: 'agree', type: 'checkbox', required: true },
      { id: 'why', type: 'text', required: true, when },
    ]);
  });

  test.each<[string, z.ZodType]>([
    ['an object', z.object({})],
    ['a list of texts', z.array(z.string())],
    ['null', z.null()],
    ['anything', z.any()],
    ['several types', z.union([z.string(), z.number()])],
    ['a file of zod, which no answer can be', z.file()],
  ])('[PLG3] %s fits no field, and the error names its property', (_, property) => {
    expect(() => formOf({ it: property })).toThrow(/"it" fits no field/);
  });

  test('[PLG3] only an object makes a form', () => {
    expect(() => formFromSchema({ type: 'string' })).toThrow(TypeError);
    expect(() => formFromSchema({ type: 'object' })).toThrow(TypeError);
    expect(() => formFromSchema({ type: 'object', properties: { it: true } })).toThrow(/"it" has no schema/);
  });

  test('[PLG3] the enumNames next to an enum are its labels', () => {
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
  ])('[PLG3] %s matches as in the schema: %j, not %j', (pattern, fitting, unfitting) => {
    const form = formSchema.parse(formOf({ it: z.string().regex(pattern) }));
    expect(checkValues(form, { it: fitting }, matches)).toEqual({});
    expect(checkValues(form, { it: unfitting }, matches)).toEqual({ it: 'Does not have the expected form.' });
  });

  test('[PLG3] too long for a field is left to the schema', () => {
    expect(fieldOf(z.string().regex(new RegExp('x'.repeat(257))))).toEqual({ type: 'text' });
  });
});

test('[PLG3] the form accepts every text that the schema accepts, except a required empty one', () => {
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

test('[PLG9] the form accepts exactly the numbers that the schema accepts', () => {
  const bound = fc.integer({ min: -6, max: 6 });
  const numbers = fc.record({
    min: fc.option(bound),
    max: fc.option(bound),
    gt: fc.option(bound),
    lt: fc.option(bound),
    step: fc.option(fc.constantFrom(1, 2, 3, 0.5)),
    isWhole: fc.boolean(),
    value: fc.integer({ min: -20, max: 20 }),
  });
  fc.assert(
    fc.property(numbers, ({ min, max, gt, lt, step, isWhole, value }) => {
      let schema = isWhole ? z.int() : z.number();
      if (min !== null) schema = schema.min(min);
      if (max !== null) schema = schema.max(max);
      if (gt !== null) schema = schema.gt(gt);
      if (lt !== null) schema = schema.lt(lt);
      if (step !== null) schema = schema.multipleOf(step);
      const it = isWhole ? value : value / 2;
      const fits = Object.keys(checkValues(formOf({ it: schema }), { it }, matches)).length === 0;
      expect(fits).toBe(schema.safeParse(it).success);
    }),
  );
});

function choices(...values: string[]) {
  return values.map((value) => ({ value, label: value }));
}

test('[PLG3] references of properties are resolved, in unions and lists, too', () => {
  const form = formFromSchema({
    type: 'object',
    properties: {
      colour: { $ref: '#/$defs/colour' },
      named: { $ref: '#/$defs/colour', title: 'Wall' },
      perhaps: { anyOf: [{ $ref: '#/$defs/colour' }, { type: 'null' }] },
      several: { type: 'array', items: { $ref: '#/$defs/colour' } },
      perhapsSeveral: { anyOf: [{ type: 'array', items: { $ref: '#/$defs/colour' } }, { type: 'null' }] },
      again: { $ref: '#/properties/colour' },
    },
    $defs: { colour: { enum: ['red', 'blue'], title: 'Colour' } },
  });
  const options = choices('red', 'blue');
  expect(form.fields).toEqual([
    { id: 'colour', label: 'Colour', type: 'radio', options },
    { id: 'named', label: 'Wall', type: 'radio', options },
    { id: 'perhaps', label: 'Colour', type: 'radio', options },
    { id: 'several', type: 'multiselect', options },
    { id: 'perhapsSeveral', type: 'multiselect', options },
    { id: 'again', label: 'Colour', type: 'radio', options },
  ]);
});

test.each(['#/$defs/none', '#/properties/it', 'other.json'])(
  '[PLG3] the error for a property that refers to %s names the reference',
  ($ref) => {
    expect(() => formFromSchema({ type: 'object', properties: { it: { $ref } } })).toThrow(
      `"it" refers to "${$ref}", which leads nowhere`,
    );
  },
);

test('[PLG3, SEC6] recursive references are followed to a limited depth', () => {
  const wide = (name: string) => ({ anyOf: Array.from({ length: 1000 }, () => ({ $ref: `#/$defs/${name}` })) });
  const schema = {
    type: 'object',
    properties: { it: wide('a') },
    $defs: { a: wide('b'), b: wide('c'), c: { type: 'string' } },
  };
  expect(() => formFromSchema(schema)).toThrow('"it" fits no field');
});

test.each([
  ['a UUID', z.uuid()],
  ['an IPv4 address', z.ipv4()],
  ['a duration', z.iso.duration()],
  ['a phone number that begins with its country', z.e164()],
  ['a MAC address', z.mac()],
])('[PLG3] an invalid value gets the message that it must be %s, and a valid one is accepted', (words, schema) => {
  const form = formOf({ it: schema });
  const [, example = ''] = /as in (\S+)\.$/.exec(form.fields[0]?.invalidMessage ?? '') ?? [];
  expect(checkValues(form, { it: 'something' }, matches).it).toContain(`Must be ${words}, as in `);
  expect(checkValues(form, { it: example }, matches)).toEqual({});
});

test('[PLG3] an unknown format is ignored, and an author’s own message is kept', () => {
  expect(fieldOf(z.string().meta({ format: 'constructor' }))).toEqual({ type: 'text' });
  expect(fieldOf(z.uuid().meta({ invalidMessage: 'The number on the box.' }))).toMatchObject({
    invalidMessage: 'The number on the box.',
  });
});

test('[PLG3, SEC6] many fields with references to many choices are refused before they are built', () => {
  const choosing = (fields: number, options: number) => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: fields }, (_, n) => [`p${n}`, { $ref: '#/$defs/e' }])),
    $defs: { e: { enum: Array.from({ length: options }, (_, n) => n) } },
  });
  expect(() => formFromSchema(choosing(5000, 30_000))).toThrow('at most 200 fields, and this one 5000');
  expect(() => formFromSchema(choosing(200, 1000))).toThrow('at most 20000 choices');
  expect(formFromSchema(choosing(200, 100)).fields).toHaveLength(200);
});

test('[PLG3] an allOf with one schema is merged with the property’s own members', () => {
  const properties = { it: { allOf: [{ $ref: '#/$defs/e' }], title: 'It', default: 'b' } };
  const { fields } = formFromSchema({ type: 'object', properties, $defs: { e: { enum: ['a', 'b'] } } });
  expect(fields).toEqual([{ id: 'it', label: 'It', type: 'radio', options: choices('a', 'b'), defaultValue: 'b' }]);
});
