import { expect, test } from 'vitest';
import { makeMatcher } from './pattern-matcher.ts';

let timeouts = 0;
const matchPattern = makeMatcher(() => {
  timeouts += 1;
});

test('[INT16] a pattern is anchored at both ends', () => {
  expect(matchPattern('[a-z]+', 'abc')).toBe(true);
  expect(matchPattern('[a-z]+', 'abc1')).toBe(false);
  expect(matchPattern('a|b', 'ab')).toBe(false);
  expect(matchPattern('a|b', 'b')).toBe(true);
});

test('[INT16] it reads Unicode by characters', () => {
  expect(matchPattern('.', '\u{1F600}')).toBe(true);
  expect(matchPattern('\\p{L}+', 'd\u00e9j\u00e0')).toBe(true);
});

test('[SEC6] a regular expression that explodes is given up after 50 ms, and the next one works', () => {
  const begin = performance.now();
  expect(matchPattern('(a+)+', `${'a'.repeat(40)}!`)).toBe(false);
  expect(performance.now() - begin).toBeLessThan(1000);
  expect(timeouts).toBe(1);
  expect(matchPattern('a+', 'aaa')).toBe(true);
});

test('[SEC6] what is no regular expression matches nothing, and nothing gets out of its context', () => {
  expect(matchPattern('(', '(')).toBe(false);
  expect(matchPattern('a', 'a")); process.exit(1); ((("')).toBe(false);
});
