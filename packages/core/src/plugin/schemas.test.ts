import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as mini from 'zod/mini';
import * as old3 from 'zod-3.25';
import * as old4 from 'zod-3.25/v4';
import * as first4 from 'zod-4.0';
import { formFromSchema } from '../form/form-from-schema.ts';
import { type Parameters, pathOf } from '../schema/standard-schema.ts';
import { readSchema, requireReadable } from './schemas.ts';

const libraries: [name: string, schema: Parameters][] = [
  ['zod', z.object({ name: z.string().min(2).meta({ title: 'Name' }), size: z.int().min(1).optional() })],
  ['zod/mini', mini.object({ name: mini.string().check(mini.minLength(2)), size: mini.optional(mini.int()) })],
  ['zod 4.0', first4.object({ name: first4.string().min(2).meta({ title: 'Name' }), size: first4.int().optional() })],
  ['zod 3.25', old4.object({ name: old4.string().min(2).meta({ title: 'Name' }), size: old4.int().optional() })],
  ['a raw shape', { name: z.string().min(2).meta({ title: 'Name' }), size: z.int().optional() }],
  ['a raw shape of zod 3.25', { name: old4.string().min(2).meta({ title: 'Name' }), size: old4.int().optional() }],
  [
    'valibot',
    toStandardJsonSchema(
      v.object({
        name: v.pipe(v.string(), v.minLength(2), v.title('Name')),
        size: v.optional(v.pipe(v.number(), v.integer())),
      }),
    ),
  ],
  ['arktype', type({ name: 'string >= 2', 'size?': 'number.integer' })],
  [
    'JSON Schema',
    {
      properties: { name: { type: 'string', minLength: 2, title: 'Name' }, size: { type: 'integer' } },
      required: ['name'],
    },
  ],
];

describe.each(libraries)('[PLG9] a schema of %s', (name, written) => {
  const { schema, jsonSchema } = readSchema(written, 'It');

  test('checks values', async () => {
    expect(await schema['~standard'].validate({ name: 'Ada', size: 3 })).toMatchObject({
      value: { name: 'Ada', size: 3 },
    });
    const { issues = [] } = await schema['~standard'].validate({ name: 'A' });
    expect(issues.map(pathOf)).toEqual([['name']]);
  });

  test('describes what it accepts, and makes a form', () => {
    const { fields } = formFromSchema(jsonSchema);
    const label = name === 'arktype' || name === 'zod/mini' ? {} : { label: 'Name' };
    expect(fields[0]).toEqual({ id: 'name', type: 'text', minLength: 2, required: true, ...label });
    expect(fields[1]).toMatchObject({ id: 'size', type: 'number', step: 1 });
  });
});

test.each<[string, Parameters, string]>([
  ['of zod 3', old3.object({}), 'zod 3.25 has as "zod/v4"'],
  ['of valibot', v.object({}), '@valibot/to-json-schema'],
  ['of a library that is unknown', onlyValidating('acme'), '"~standard".jsonSchema'],
])('[PLG9] a schema %s that only validates is refused, with a remedy', (_, schema, remedy) => {
  const read = () => readSchema(schema, 'Tool "t"');
  expect(read).toThrow('Tool "t" has a schema that cannot be read: a schema of');
  expect(read).toThrow(remedy);
});

test.each<[string, Parameters, string]>([
  ['of valibot', { name: v.string() }, '"name" is a schema of valibot'],
  ['of zod 3', { name: old3.string() }, '"zod/v4"'],
  ['of zod next to others', { name: z.string(), size: 'number' }, '"size" is not a zod schema'],
  ['of JSON Schemas', { size: { type: 'number' } }, "Did you mean { type: 'object', properties: { size"],
])('[PLG8, PLG9] a raw shape %s is refused, naming the member', (_, shape, words) => {
  expect(() => readSchema(shape, 'It')).toThrow(words);
});

test('[PLG8, PLG11] a schema of which only the JSON Schema is kept can be read from that, or is refused', () => {
  const read = readSchema(z.object({ name: z.string() }), 'It');
  expect(() => requireReadable(read, 'It')).not.toThrow();
  const jsonSchema = { $ref: 'https://example.org/else.json' };
  expect(() => requireReadable({ ...read, jsonSchema }, 'It')).toThrow('It has a schema that cannot be read: ');
});

function onlyValidating(vendor: string): Parameters {
  return { '~standard': { version: 1, vendor, validate: (value: unknown) => ({ value }) } };
}

test.each<[string, z.ZodType, message: string]>([
  [
    'one',
    z.object({ born: z.date() }),
    '"born" is of type date, for which JSON Schema has no words. Take z.iso.date()',
  ],
  ['a nested one', z.object({ a: z.object({ id: z.bigint().optional() }) }), '"a.id" is of type bigint'],
  ['the whole', z.map(z.string(), z.string()), 'it is of type map'],
])(
  '[PLG8, PLG9] the error for a type that JSON Schema cannot express names its property and a remedy: %s',
  (_, schema, message) => {
    expect(() => readSchema(schema as never, 'ctx.ask')).toThrow(
      `ctx.ask has a schema that cannot be read: ${message}`,
    );
  },
);
