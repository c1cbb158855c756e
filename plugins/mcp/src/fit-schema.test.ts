import { readSchema } from '@parleyhq/core/schemas';
import { expect, test } from 'vitest';
import type { Definition } from './definition.ts';
import { fitSchema } from './fit-schema.ts';

const fitted = (inputSchema: object) => fitSchema({ inputSchema: inputSchema as Definition['inputSchema'] });

test('[AGT4] a schema that Parley reads is taken as it is', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  expect(fitted(schema)).toEqual({ parameters: schema });
});

test.each([
  ['a reference to itself', { properties: { kind: { type: 'string' }, child: { $ref: '#' } } }],
  ['a dangling reference', { properties: { kind: { type: 'string' }, child: { $ref: '#/$defs/none' } } }],
  [
    'two references to each other',
    { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, properties: { child: { $ref: '#/$defs/a' } } },
  ],
  ['a reference to another address', { properties: { child: { $ref: 'https://example.org/child.json' } } }],
  ['a pattern of another language', { properties: { child: { type: 'string', pattern: '(?<name' } } }],
  ['an invalid schema', { properties: { child: { type: 'banana' } } }],
])(
  '[AGT4] a tool with %s is still offered: the readable part is checked, and the model gets the rest as text',
  async (_, part) => {
    const schema = {
      type: 'object',
      ...part,
      properties: { kind: { type: 'string' }, ...(part as { properties?: object }).properties },
    };
    const { parameters, note } = fitted(schema);
    const read = readSchema(parameters, 'it');
    expect(await read.schema['~standard'].validate({ kind: 'a' })).toEqual({ value: { kind: 'a' } });
    if (note !== undefined) expect(note).toContain(JSON.stringify(schema));
    else expect(parameters).toEqual(schema);
  },
);

const conditional = {
  type: 'object',
  properties: { kind: { type: 'string' } },
  ...JSON.parse('{"if":{"properties":{"kind":{"const":"a"}}},"then":{"required":["a"]},"else":{"required":["b"]}}'),
};

test.each<[string, object, value: object, isRight: boolean]>([
  ['conditions that are met', conditional, { kind: 'a', a: 1 }, true],
  ['conditions that are not', conditional, { kind: 'a', b: 1 }, false],
  ['choices by what is there', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1 }, true],
  ['choices of which two fit', { oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1, b: 1 }, false],
  [
    'a naive date-time',
    { properties: { at: { type: 'string', format: 'date-time' } } },
    { at: '2026-03-31T09:30' },
    true,
  ],
  [
    'letters of every script',
    { properties: { name: { type: 'string', pattern: '^\\p{L}+$' } } },
    { name: 'żółw' },
    true,
  ],
  ['a pattern with needless escapes', { properties: { no: { pattern: '^\\d\\-\\d$' } } }, { no: '1-2' }, true],
  ['an emoji of one character', { properties: { mood: { type: 'string', maxLength: 1 } } }, { mood: '👍' }, true],
  ['a default', { properties: { n: { type: 'integer', default: 7 } } }, {}, true],
  ['a bound of draft 4', { properties: { n: { minimum: 0, exclusiveMinimum: true } } }, { n: 0 }, false],
  [
    'keywords of draft 7',
    { properties: { at: { items: [{ type: 'string' }], additionalItems: false } } },
    { at: ['a', 1] },
    false,
  ],
  [
    'nulls where nothing is said',
    { properties: { n: { type: 'integer', minimum: null } }, required: null },
    { n: 1 },
    true,
  ],
  ['the null of OpenAPI', { properties: { n: { type: 'integer', nullable: true } } }, { n: null }, true],
  [
    'one that is itself',
    { properties: { n: { type: 'integer' }, child: { $ref: '#' } } },
    { child: { n: 'x' } },
    false,
  ],
])('[AGT4, PLG9] all of a schema is read: %s', async (_, schema, value, isRight) => {
  const { parameters, note } = fitted(schema);
  expect(note).toBeUndefined();
  const result = await readSchema(parameters, 'it').schema['~standard'].validate(value);
  if (isRight) expect(result).toEqual({ value });
  else expect(result.issues).not.toHaveLength(0);
});
