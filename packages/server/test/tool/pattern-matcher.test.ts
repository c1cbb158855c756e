import { makeMatcher } from '@parleyhq/runtime';
import { expect, test } from 'vitest';

// Not a unit test, because those are threads of one process, and processor time is counted for all of it.
let timeouts = 0;
const makeCounted = () =>
  makeMatcher(() => {
    timeouts += 1;
  });
const matchPattern = makeCounted();

test('[INT16] a pattern is anchored at both ends', () => {
  expect(matchPattern('[a-z]+', 'abc')).toBe(true);
  expect(matchPattern('[a-z]+', 'abc1')).toBe(false);
  expect(matchPattern('a|b', 'ab')).toBe(false);
  expect(matchPattern('a|b', 'b')).toBe(true);
});

test('[INT16] it matches Unicode by characters', () => {
  expect(matchPattern('.', '\u{1F600}')).toBe(true);
  expect(matchPattern('\\p{L}+', 'd\u00e9j\u00e0')).toBe(true);
});

test('[SEC6] a regular expression with catastrophic backtracking is stopped after 50 ms, and the next decision works', () => {
  const begin = performance.now();
  expect(matchPattern('(a+)+', `${'a'.repeat(40)}!`)).toBe(false);
  expect(performance.now() - begin).toBeLessThan(1000);
  expect(timeouts).toBe(1);
  expect(makeCounted()('a+', 'aaa')).toBe(true);
});

test('[SEC11] two hundred patterns of one answer share 50 ms, and one is counted', () => {
  const ofOne = makeCounted();
  timeouts = 0;
  const begin = process.cpuUsage();
  for (let n = 0; n < 200; n += 1) expect(ofOne('(a+)+', `${'a'.repeat(40)}!`)).toBe(false);
  const { user, system } = process.cpuUsage(begin);
  expect((user + system) / 1000).toBeLessThan(1000); // 50 ms for each would be 10,000
  expect(timeouts).toBe(1);
});

test('[INT16, SEC11] a form with the most fields, each with an ordinary pattern, stays within it', () => {
  const ofOne = makeCounted();
  for (let n = 0; n < 200; n += 1) expect(ofOne('[a-z]{1,40}', 'a'.repeat(20))).toBe(true);
});

test('[SEC6] an invalid regular expression matches nothing, and nothing escapes from its context', () => {
  const matchPattern = makeCounted();
  expect(matchPattern('(', '(')).toBe(false);
  expect(matchPattern('a', 'a")); process.exit(1); ((("')).toBe(false);
});
