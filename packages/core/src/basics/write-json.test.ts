import { expect, test } from 'vitest';
import { writeJson } from './write-json.ts';

test('[PLG6] JSON values are written unchanged', () => {
  const value = { a: [1, 'b', null, { c: true }], at: new Date(0), gone: undefined };
  expect(writeJson(value, 'the result')).toBe(JSON.stringify(value));
});

test.each([
  [Number.NaN, 'the result is NaN'],
  [{ a: { b: Number.POSITIVE_INFINITY } }, '"a.b" is Infinity'],
  [{ list: [1, () => 1] }, '"list.1" is a function'],
  [{ id: 1n }, '"id" is a bigint'],
  [{ seen: new Map() }, '"seen" is a Map'],
  [{ later: Promise.resolve() }, '"later" is a Promise'],
  [{ fault: new TypeError('x') }, '"fault" is a TypeError'],
])('[PLG6] the member of %o that JSON would lose is named', (value, words) => {
  expect(() => writeJson(value, 'the result')).toThrow(words);
});
