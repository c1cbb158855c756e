import { expect, test } from 'vitest';
import { compareWords } from './changed-words.ts';

const mark = (line: readonly { text: string; isChanged: boolean }[] = []) =>
  line.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join('');

test('[WEB2] the words that differ are found in both lines', () => {
  const [before, after] = compareWords('const port = 80;', 'const port = 8080;') ?? [];
  expect([mark(before), mark(after)]).toEqual(['const port = [80];', 'const port = [8080];']);
});

test.each([
  ['nothing in common', 'one two three', 'four five six'],
  ['a very long line', 'x '.repeat(1500), 'x '.repeat(1500)],
])(
  '[SEC5] lines are compared as wholes if their words have little in common, or cost too much: %s',
  (_, before, after) => {
    expect(compareWords(before, after)).toBeUndefined();
  },
);
