import { expect, test } from 'vitest';
import { followReference } from './reference.ts';

const whole = {
  type: 'object',
  properties: { a: { type: 'string' }, list: { type: 'array', items: [{ type: 'number' }] } },
  $defs: {
    plain: { type: 'integer', title: 'Plain' },
    chained: { $ref: '#/$defs/plain', description: 'of two' },
    round: { $ref: '#/$defs/trip' },
    trip: { $ref: '#/$defs/round' },
    'a/b~c d': { type: 'boolean' },
    '50%': { type: 'null' },
  },
};

test.each<[string, object]>([
  ['#', whole],
  ['#/properties/a', { type: 'string' }],
  ['#/properties/list/items/0', { type: 'number' }],
  ['#/$defs/chained', { type: 'integer', title: 'Plain', description: 'of two' }],
  ['#/$defs/a~1b~0c%20d', { type: 'boolean' }],
  ['#/$defs/50%', { type: 'null' }],
])('[AGT6] %s resolves to its target', (reference, schema) => {
  expect(followReference(whole, { $ref: reference })).toEqual(schema);
});

test.each([
  '#/$defs/round',
  '#/$defs/none',
  '#/$defs/constructor',
  '#name',
  'other.json#/a',
  '',
  '#/properties/list/items/1',
])('[AGT6] %s has no target', (reference) => {
  expect(followReference(whole, { $ref: reference })).toBeUndefined();
});

test('[AGT6] members next to a reference override those of its target', () => {
  expect(followReference(whole, { $ref: '#/$defs/chained', title: 'Own' })).toEqual({
    type: 'integer',
    title: 'Own',
    description: 'of two',
  });
});

test.each([true, 'x', null, undefined])('[AGT6] %s has no members', (schema) => {
  expect(followReference(whole, schema)).toBeUndefined();
});

test('[AGT6, SEC6] a reference is resolved once', () => {
  const written = { $ref: '#/$defs/chained' };
  expect(followReference(whole, written)).toBe(followReference(whole, written));
  expect(followReference(whole, { $ref: '#/$defs/plain' })).toBe(whole.$defs.plain);
});
