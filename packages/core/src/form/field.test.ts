import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { form } from '../../test/support/samples.ts';
import type { Json } from '../basics/json.ts';
import {
  anchorPattern,
  cleanValues,
  describeValue,
  type Field,
  type FormSchema,
  fieldSchema,
  fieldTypes,
  findVisibleFields,
  formSchema,
  isChoice,
  isEmptyValue,
  isFieldId,
  labelOf,
  redacted,
} from './field.ts';

const options = [
  { value: 'a', label: 'Apple' },
  { value: 'b', label: 'Banana' },
];

function fieldOf(type: Field['type'], parts: Partial<Field> = {}): Field {
  return { id: 'it', type, ...(isChoice({ id: 'it', type }) && { options }), ...parts };
}

function faultsOf(fields: readonly unknown[], parts: object = {}): string[] {
  const { error } = formSchema.safeParse({ type: 'form', fields, ...parts });
  return error?.issues.map(({ message }) => message) ?? [];
}

describe('a field', () => {
  test.each(fieldTypes)('[INT16] %s is a field type', (type) => {
    expect(fieldSchema.safeParse({ id: 'it', type }).success).toBe(true);
  });

  test('[INT16] another type is refused', () => {
    expect(fieldSchema.safeParse({ id: 'it', type: 'folder' }).success).toBe(false);
  });

  test.each(['a', 'Z', 'firstName', 'a-b_c9', `a${'x'.repeat(63)}`])('[INT16] %j is an id', (id) => {
    expect(fieldSchema.safeParse({ id, type: 'text' }).success).toBe(true);
  });

  test.each([
    '',
    '1a',
    '_a',
    'a b',
    'a.b',
    'ä',
    'a\n',
    `a${'x'.repeat(64)}`,
    '__proto__',
    'constructor',
    'toString',
    'valueOf',
    'hasOwnProperty',
    'isPrototypeOf',
    'toLocaleString',
  ])('[INT16] %j is not an id', (id) => {
    expect(fieldSchema.safeParse({ id, type: 'text' }).success).toBe(false);
  });

  test('[INT16] an id cannot be the name of a member that every object has', () => {
    for (const name of Object.getOwnPropertyNames(Object.prototype)) expect(isFieldId(name)).toBe(false);
  });

  test('[PLG8] an invalid id is reported with the format of a valid one', () => {
    const fields = [{ id: '2nd', type: 'text' }];
    expect(formSchema.safeParse({ type: 'form', fields }).error?.issues[0]?.message).toBe(
      '"2nd" is not a field id: a letter, then letters, digits, "_" and "-", at most 64',
    );
  });

  test.each([
    ['a step of nothing', { type: 'number', step: 0 }],
    ['a step backwards', { type: 'number', step: -1 }],
    ['a negative length', { type: 'text', minLength: -1 }],
    ['half a character', { type: 'text', maxLength: 1.5 }],
    ['a pattern of more than 256 characters', { type: 'text', pattern: 'x'.repeat(257) }],
    ['an unknown format', { type: 'text', format: 'ipv4' }],
    ['options without labels', { type: 'select', options: [{ value: 'a' }] }],
    ['a condition on a list', { type: 'text', when: { field: 'a', equals: ['x'] } }],
  ])('[INT16] %s is refused', (_, parts) => {
    expect(fieldSchema.safeParse({ id: 'it', ...parts }).success).toBe(false);
  });
});

describe('a form', () => {
  test('[INT16] each id is unique', () => {
    expect(faultsOf([fieldOf('text'), fieldOf('number')])).toEqual(['field "it" is listed twice']);
  });

  test.each(['select', 'radio', 'multiselect'] as const)('[INT16] a %s has options or a free choice', (type) => {
    expect(faultsOf([{ id: 'it', type }])).toEqual(['field "it" needs options']);
    expect(faultsOf([{ id: 'it', type, options: [] }])).toEqual(['field "it" needs options']);
    expect(faultsOf([{ id: 'it', type, other: true }])).toEqual([]);
  });

  test('[INT16] a condition names an earlier field', () => {
    const conditional = { id: 'b', type: 'text', when: { field: 'a', equals: 'x' } };
    const fault = 'field "b" depends on "a", which is not an earlier field';
    expect(faultsOf([{ id: 'a', type: 'text' }, conditional])).toEqual([]);
    expect(faultsOf([conditional, { id: 'a', type: 'text' }])).toEqual([fault]);
    expect(faultsOf([conditional])).toEqual([fault]);
  });

  test.each(['(', '[', 'a)(b', 'a)|(?:b', '\\', '(?<n>a)\\k<m>', '\\p{Nope}'])(
    '[INT16] %j is not a pattern: alone it is not a regular expression',
    (pattern) => {
      expect(faultsOf([fieldOf('text', { pattern })])).toEqual([
        'the pattern of field "it" is not a regular expression',
      ]);
    },
  );

  test('[INT16] a pattern is anchored as a whole, even with alternatives', () => {
    const expression = new RegExp(anchorPattern('a|b'), 'u');
    expect(['a', 'b', 'ab', 'xa', 'bx'].filter((text) => expression.test(text))).toEqual(['a', 'b']);
  });

  test('[INT16] a section lists existing fields, each in one section', () => {
    const fields = [{ id: 'a', type: 'text' }];
    expect(faultsOf(fields, { sections: [{ id: 's', fields: ['a'] }] })).toEqual([]);
    expect(faultsOf(fields, { sections: [{ id: 's', fields: ['b'] }] })).toEqual([
      'section "s" names "b", which is not a field',
    ]);
    const twice = [
      { id: 's', fields: ['a'] },
      { id: 't', fields: ['a'] },
    ];
    expect(faultsOf(fields, { sections: twice })).toEqual(['field "a" is in two sections']);
  });

  test('[SEC6] a form has at most 200 fields', () => {
    const fields = Array.from({ length: 201 }, (_, n) => ({ id: `f${n}`, type: 'text' }));
    expect(faultsOf(fields)).not.toEqual([]);
    expect(faultsOf(fields.slice(1))).toEqual([]);
  });

  test('[INT16] fuzzed forms and values never reach a prototype', () => {
    const name = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'prototype', 'polluted', 'a'), fc.string());
    const schema = fc.record({
      type: fc.constant('form'),
      fields: fc.array(fc.record({ id: name, type: fc.constantFrom(...fieldTypes), other: fc.boolean() })),
      sections: fc.array(fc.record({ id: name, fields: fc.array(name) })),
    });
    const values = fc.array(fc.tuple(name, fc.oneof(fc.jsonValue(), fc.constant({ polluted: true }))));
    fc.assert(
      fc.property(schema, values, (fuzzed, entries) => {
        const parsed = formSchema.safeParse(fuzzed);
        const given = Object.fromEntries(entries) as Record<string, Json>;
        if (parsed.success) cleanValues(parsed.data, given);
        expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
        expect(Object.getPrototypeOf(cleanValues(parsed.data ?? form([]), given))).toBe(Object.prototype);
      }),
    );
  });
});

describe('visible fields', () => {
  const schema: FormSchema = form([
    { id: 'kind', type: 'radio', options, other: true },
    { id: 'detail', type: 'text', when: { field: 'kind', equals: 'a' } },
    { id: 'deeper', type: 'checkbox', when: { field: 'detail', equals: 'yes' } },
    { id: 'deepest', type: 'text', when: { field: 'deeper', equals: true } },
    { id: 'many', type: 'multiselect', options },
    { id: 'whenMany', type: 'number', when: { field: 'many', equals: 'b' } },
    { id: 'whenTwo', type: 'text', when: { field: 'whenMany', equals: 2 } },
  ]);
  const visible = (values: Record<string, Json>) => findVisibleFields(schema, values).map(({ id }) => id);

  test('[INT16] a field with a condition is hidden until it is met', () => {
    expect(visible({})).toEqual(['kind', 'many']);
    expect(visible({ kind: 'b' })).toEqual(['kind', 'many']);
    expect(visible({ kind: 'a' })).toEqual(['kind', 'detail', 'many']);
  });

  test('[INT16] a hidden field hides those that depend on it, whatever its value', () => {
    expect(visible({ kind: 'b', detail: 'yes', deeper: true })).toEqual(['kind', 'many']);
    expect(visible({ kind: 'a', detail: 'yes', deeper: true })).toEqual([
      'kind',
      'detail',
      'deeper',
      'deepest',
      'many',
    ]);
  });

  test('[INT16] a condition on a multiselect is met by one of its choices', () => {
    expect(visible({ many: ['a', 'b'] })).toEqual(['kind', 'many', 'whenMany']);
    expect(visible({ many: ['a'] })).toEqual(['kind', 'many']);
  });

  test('[INT16] a condition compares type and value', () => {
    expect(visible({ many: ['b'], whenMany: 2 })).toContain('whenTwo');
    expect(visible({ many: ['b'], whenMany: '2' })).not.toContain('whenTwo');
  });
});

describe('values', () => {
  test.each([
    [undefined, true],
    ['', true],
    [[], true],
    [' ', false],
    [0, false],
    [false, false],
    [null, false],
    [{ other: '' }, false],
    [['a'], false],
  ])('[INT16] %j is empty: %j', (value, expected) => {
    expect(isEmptyValue(value as Json | undefined)).toBe(expected);
  });

  test('[INT16] an empty optional field is absent from what is stored', () => {
    const schema = form([fieldOf('text'), fieldOf('multiselect', { id: 'many' }), fieldOf('number', { id: 'count' })]);
    expect(cleanValues(schema, { it: '', many: [], count: 0 })).toEqual({ count: 0 });
  });

  test('[INT16] a secret is replaced by a placeholder', () => {
    const schema = form([fieldOf('secret'), fieldOf('text', { id: 'name' })]);
    expect(cleanValues(schema, { it: 'hunter2', name: 'Ada' })).toEqual({ it: { redacted: true }, name: 'Ada' });
    expect(cleanValues(schema, { it: '' })).toEqual({});
  });

  test('[INT16] no text of a secret is left in what is stored', () => {
    const schema = form([fieldOf('secret'), fieldOf('text', { id: 'name' })]);
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string(), (secret, name) => {
        expect(cleanValues(schema, { it: secret, name }).it).toEqual(redacted);
      }),
    );
  });

  test.each<[string, Field, Json | undefined, string]>([
    ['a text as it is', fieldOf('text'), 'Ada', 'Ada'],
    ['a number in digits', fieldOf('number'), 1.5, '1.5'],
    ['a tick as yes', fieldOf('checkbox'), true, 'yes'],
    ['no tick as no', fieldOf('checkbox'), false, 'no'],
    ['a choice by its label', fieldOf('select'), 'b', 'Banana'],
    ['a choice without an option by its value', fieldOf('radio'), 'c', 'c'],
    ['a free choice by its text', fieldOf('radio', { other: true }), { other: 'Cherry' }, 'Cherry'],
    ['several choices with commas', fieldOf('multiselect'), ['b', { other: 'Fig' }, 'a'], 'Banana, Fig, Apple'],
    ['a secret as dots', fieldOf('secret'), redacted, '••••'],
    ['a secret as dots even in the clear', fieldOf('secret'), 'hunter2', '••••'],
    ['nothing as nothing', fieldOf('text'), undefined, ''],
    ['null as nothing', fieldOf('text'), null, ''],
  ])('[INT9] a value as text: %s', (_, field, value, words) => {
    expect(describeValue(field, value)).toBe(words);
  });

  test('[INT16] a field is called by its label, else its header, else its id', () => {
    expect(labelOf(fieldOf('text', { label: 'Label', header: 'Chip' }))).toBe('Label');
    expect(labelOf(fieldOf('text', { header: 'Chip' }))).toBe('Chip');
    expect(labelOf(fieldOf('text'))).toBe('it');
  });
});
