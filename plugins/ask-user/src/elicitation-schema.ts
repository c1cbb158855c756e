import * as z from 'zod';

/** The descriptive keywords that every property may have. */
const words = { title: z.string().optional(), description: z.string().optional() };
const count = z.int().nonnegative().optional();
const names = z.array(z.string()).min(1);
const titled = z.array(z.strictObject({ const: z.string(), title: z.string() })).min(1);

const text = z.strictObject({
  type: z.literal('string'),
  ...words,
  minLength: count,
  maxLength: count,
  pattern: z.string().optional(),
  format: z.enum(['email', 'uri', 'date', 'date-time']).optional(),
  enum: names.optional(),
  enumNames: names.optional(),
  oneOf: titled.optional(),
  default: z.string().optional(),
});

const number = z.strictObject({
  type: z.enum(['number', 'integer']),
  ...words,
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  default: z.number().optional(),
});

const boolean = z.strictObject({ type: z.literal('boolean'), ...words, default: z.boolean().optional() });

const list = z.strictObject({
  type: z.literal('array'),
  ...words,
  items: z.strictObject({
    type: z.literal('string').optional(),
    enum: names.optional(),
    anyOf: titled.optional(),
    oneOf: titled.optional(),
  }),
  minItems: count,
  maxItems: count,
  uniqueItems: z.literal(true).optional(),
  default: z.array(z.string()).optional(),
});

const property = z.discriminatedUnion('type', [text, number, boolean, list], {
  error: 'must be "string", "number", "integer", "boolean" or "array"',
});

/** The schemas that MCP allows for an elicitation form: a flat object of strings, numbers, booleans and choices. */
export const elicitationSchema = z.strictObject({
  $schema: z.string().optional(),
  type: z.literal('object'),
  ...words,
  properties: z.record(z.string(), property),
  required: z.array(z.string()).optional(),
  additionalProperties: z.literal(false).optional(),
});
