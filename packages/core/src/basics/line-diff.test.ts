import { expect, test } from 'vitest';
import { compareLines } from './line-diff.ts';

const show = (before: string, after: string) => {
  const lines = compareLines(before.split(''), after.split(''));
  return lines.map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`).join('');
};

test.each([
  ['', '', ''],
  ['abc', 'abc', ' a b c'],
  ['abc', 'axc', ' a-b+x c'],
  ['ab', 'abc', ' a b+c'],
  ['abc', 'c', '-a-b c'],
  ['abcd', 'bcdx', '-a b c d+x'],
  ['abcabba', 'cbabac', '-a-b c+b a b-b a+c'],
])('[REV3] %j and %j are compared as %j', (before, after, expected) => {
  expect(show(before, after)).toBe(expected);
});

test('[REV3] each line has its numbers in both texts, and both can be read back', () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return Math.floor((seed / 2 ** 31) * below);
  };
  for (let round = 0; round < 300; round += 1) {
    const [before, after] = [0, 1].map(() => Array.from({ length: random(12) }, () => 'abc'[random(3)] as string));
    const lines = compareLines(before!, after!);
    const read = (side: 'before' | 'after') =>
      lines.filter((line) => line[side] !== undefined).map((line) => [line[side], line.text]);
    expect(read('before')).toEqual(before!.map((text, at) => [at + 1, text]));
    expect(read('after')).toEqual(after!.map((text, at) => [at + 1, text]));
  }
});

test('[REV3] texts that have nothing in common are compared in a bounded time', () => {
  const lines = (prefix: string) => Array.from({ length: 30_000 }, (_, at) => `${prefix}${at}`);
  const started = performance.now();
  expect(compareLines(lines('a'), lines('b'))).toHaveLength(60_000);
  expect(performance.now() - started).toBeLessThan(5000);
});
