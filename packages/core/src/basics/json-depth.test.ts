import { expect, test } from 'vitest';
import { isTooDeep } from './json-depth.ts';

const nest = (depth: number) => `${'{"a":['.repeat(depth / 2)}1${']}'.repeat(depth / 2)}`;

test('[SEC6] depth is counted over objects and arrays, up to the limit and not beyond', () => {
  expect(isTooDeep(nest(32), 32)).toBe(false);
  expect(isTooDeep(nest(34), 32)).toBe(true);
});

test('[SEC6] siblings do not add depth, and brackets in strings are text', () => {
  expect(isTooDeep(`[${'[],'.repeat(1000)}[]]`, 32)).toBe(false);
  expect(isTooDeep(JSON.stringify({ text: '['.repeat(1000) }), 32)).toBe(false);
  expect(isTooDeep(JSON.stringify({ text: `\\"${'{'.repeat(1000)}"\\` }), 32)).toBe(false);
  expect(isTooDeep(`["\\"",${nest(40)}]`, 32)).toBe(true);
});

test('[SEC6] nesting that would overflow a parser is detected quickly', () => {
  expect(isTooDeep('['.repeat(1_000_000), 32)).toBe(true);
});
