import { clientFrameSchema, interactionSpecSchema } from '@parleyhq/core';
import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { compileSchemas } from './compile-schemas.ts';

const makeSchema = () => {
  const leaf = z.strictObject({ n: z._default(z.int(), 1), note: z.optional(z.string()) });
  const node = z.object({
    kind: z.literal('node'),
    get children() {
      return z.optional(z.array(node));
    },
    leaf: z.nullable(leaf),
    extra: z.record(z.string(), leaf),
  });
  const text = z.object({ kind: z.literal('text'), text: z.string().check(z.minLength(2)) });
  return z
    .object({ it: z.discriminatedUnion('kind', [node, text]), pair: z.tuple([leaf, z.union([leaf, z.string()])]) })
    .check(z.refine(({ pair }) => pair[0].n > 0, 'the first must be above 0'));
};

const leaf = { n: 2 };
const node = { kind: 'node', leaf: null, extra: {} };

test.each([
  ['a text', { it: { kind: 'text', text: 'ab' }, pair: [leaf, 'x'] }],
  ['defaults, and members that are left out', { it: node, pair: [{ note: 'a' }, leaf], more: 1 }],
  ['nested objects', { it: { ...node, children: [{ ...node, leaf }], extra: { a: leaf } }, pair: [leaf, 'x'] }],
  ['a wrong member far inside', { it: { ...node, children: [{ ...node, leaf: { n: 'x' } }] }, pair: [leaf, 'x'] }],
  ['an unknown member', { it: node, pair: [{ n: 1, other: 1 }, 'x'] }],
  ['a wrong discriminator', { it: { kind: 'else' }, pair: [leaf, 'x'] }],
  ['a failed check', { it: node, pair: [{ n: 0 }, 'x'] }],
  ['several errors', { it: { kind: 'text', text: 'a' }, pair: [{ n: 1.5 }, 4] }],
  ['no object', 'text'],
  ['a prototype', JSON.parse('{"__proto__":{"it":1},"it":{"kind":"text","text":"ab"},"pair":[{},"x"]}')],
])('[FRM1] a compiled schema reads like one that is interpreted: %s', (_, value) => {
  const compiled = makeSchema();
  compileSchemas(compiled);
  expect(z.safeParse(compiled, value)).toEqual(z.safeParse(makeSchema(), value));
});

test('[FRM1, PLG8] frames and requests are compiled', () => {
  compileSchemas(clientFrameSchema, interactionSpecSchema);
  for (const option of [...clientFrameSchema._zod.def.options, interactionSpecSchema])
    expect([...option._zod.traits]).toContain('$ZodObjectJIT');
});
