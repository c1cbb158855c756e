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
  [
    'conditions',
    JSON.parse('{"if":{"properties":{"kind":{"const":"a"}}},"then":{"required":["a"]},"else":{"required":["b"]}}'),
  ],
  ['one that is itself', { properties: { kind: { type: 'string' }, child: { $ref: '#' } } }],
  ['one that leads nowhere', { properties: { kind: { type: 'string' }, child: { $ref: '#/$defs/none' } } }],
  [
    'two that are each other',
    { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, properties: { child: { $ref: '#/$defs/a' } } },
  ],
  ['what is no schema', { properties: { child: { type: 'banana' } } }],
])(
  '[AGT4] one with %s is a tool all the same: what can be read of it is checked, and the model gets the rest as text',
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
