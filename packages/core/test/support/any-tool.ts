import { defineTool, type Json, type Parameters, type Tool } from '@parleyhq/core';
import * as fc from 'fast-check';
import * as z from 'zod';

let count = 0;
const next = () => {
  count += 1;
  return count;
};

/** Kinds of zod schemas: those that keep a value, change it, or depend on the time. */
const leaves: (() => z.ZodType)[] = [
  () => z.string(),
  () => z.string().trim(),
  () => z.string().toLowerCase(),
  () => z.string().default('default'),
  () => z.string().catch('caught'),
  () => z.string().transform((text) => `${text}!`),
  () => z.string().transform((text) => text.split(',')),
  () => z.string().transform((text) => new Set(text)),
  () => z.string().default(() => String(next())),
  () => z.int().transform((n) => new Date(n)),
  () => z.int().transform(String).optional(),
  () => z.number().nullable(),
  () => z.coerce.number(),
  () => z.coerce.string(),
  () => z.coerce.boolean(),
  () => z.boolean().optional(),
  () => z.enum(['staging', 'production']).default('production'),
  () => z.union([z.number(), z.string().transform((text) => text.length)]),
  () => z.preprocess((value) => (typeof value === 'number' ? String(value) : value), z.string()),
  () => z.unknown(),
];

const leaf = fc.constantFrom(...leaves).map((make) => make());

const field = fc.oneof(
  { weight: 4, arbitrary: leaf },
  leaf.map((member) => z.array(member)),
  leaf.map((member) => z.record(z.string(), member)),
  leaf.map((member) => z.object({ a: member, deep: z.string().default('deep') })),
  leaf.map((member) => z.strictObject({ a: member }).optional()),
);

const names = ['a', 'b', 'c', 'd'] as const;

const zodObject = fc
  .tuple(fc.dictionary(fc.constantFrom(...names), field, { maxKeys: 4 }), fc.constantFrom('strip', 'strict', 'loose'))
  .map(([shape, rest]) => {
    const own = { ...shape };
    if (rest === 'strict') return z.strictObject(own);
    return rest === 'loose' ? z.looseObject(own) : z.object(own);
  });

const member = fc.constantFrom<object>(
  { type: 'string', default: 'default' },
  { type: 'integer', default: 1 },
  { type: ['string', 'null'], default: null },
  { type: 'boolean' },
  { $ref: '#/$defs/point' },
  { type: 'array', items: { type: 'number' } },
  { type: 'object', properties: { a: { type: 'string', default: 'deep' } } },
  {},
);

const jsonSchema = fc
  .tuple(fc.dictionary(fc.constantFrom(...names), member, { maxKeys: 4 }), fc.boolean())
  .map(([properties, isStrict]) => ({
    type: 'object',
    properties,
    ...(isStrict && { additionalProperties: false }),
    $defs: { point: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] } },
  }));

/** Schemas as authors and servers write them. */
export const anyParameters: fc.Arbitrary<Parameters> = fc.oneof(zodObject, jsonSchema as fc.Arbitrary<Parameters>);

const text = fc.oneof(fc.string(), fc.constantFrom('7', '[1,2]', '{"x": 1}', '{"a": " b "}', ' Padded ', 'staging'));
const value: fc.Arbitrary<Json> = fc.oneof(
  { weight: 3, arbitrary: text },
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
  fc.array(fc.oneof(text, fc.integer()), { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'x', 'deep'), fc.oneof(text, fc.integer()), { maxKeys: 2 }),
);

/** Arguments as models write them: valid, nearly valid, and invalid. */
export const anyArgs = fc.dictionary(fc.constantFrom(...names, 'e'), value, { maxKeys: 4 }) as fc.Arbitrary<{
  [name: string]: Json;
}>;

/** Makes a tool that asks first, and returns the arguments that it ran with, as JSON. */
export function tellingTool(parameters: Parameters, name = 'telling', more: Partial<Tool> = {}): Tool {
  return defineTool({
    name,
    description: 'Returns what it got.',
    parameters,
    approval: 'always',
    handler: (args) => JSON.parse(JSON.stringify(args, (_, member) => (member instanceof Set ? [...member] : member))),
    ...more,
  } as Tool);
}
