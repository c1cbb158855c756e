import { expect, test } from 'vitest';
import * as z from 'zod';
import { describeMismatch } from './mismatch.ts';

const option = z.union([z.string(), z.object({ value: z.string(), label: z.string() })]);
const schema = z.object({
  options: z.array(option),
  place: z.union([z.object({ x: z.int() }), z.object({ y: z.int() })]),
});

test.each([
  [
    'an option of its type',
    { options: [{ label: 'Red' }] },
    /^options\.0\.value: expected string, received undefined; /,
  ],
  ['no option of its type', { options: [1] }, /^options\.0: expected string or object; /],
  ['several options of its type', { options: [], place: { x: 'a' } }, /^place: Invalid input$/],
])('[AGT6] a value that fits no option of a union: %s', (_, value, text) => {
  expect(describeMismatch(schema.safeParse({ place: {}, ...value }).error?.issues ?? [])).toMatch(text);
});
