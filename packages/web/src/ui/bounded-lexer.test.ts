import { expect, test } from 'vitest';
import { lexBounded } from './bounded-lexer.ts';

/** In ms; the parser alone takes minutes for some of these. */
const promptly = 2000;

test.each([
  ['emphasis that never ends', '_a__'.repeat(32 * 1024)],
  ['the same in pieces', '_a__'.repeat(2000).concat('\n\n').repeat(16)],
  ['quotes within quotes', '>'.repeat(3000)],
  ['quotes with spaces', '> '.repeat(3000)],
  ['lists within lists', '- '.repeat(3000).concat('x')],
  ['numbered lists', '1. '.repeat(3000).concat('x')],
  ['indented lists', Array.from({ length: 300 }, (_, n) => `${'  '.repeat(n)}- x`).join('\n')],
  ['brackets', '['.repeat(100_000)],
  ['emphasis within emphasis', '*a **b '.repeat(1100)],
  ['links within links', '[a]('.repeat(2000)],
  ['backticks', Array.from({ length: 400 }, (_, n) => '`'.repeat(n)).join('a')],
  ['a table', '|a'.repeat(5000).concat('\n', '|-'.repeat(5000))],
])('[SEC5] %s cost no more than a moment', (_, text) => {
  const begin = performance.now();
  lexBounded(text);
  expect(performance.now() - begin).toBeLessThan(promptly);
});

test('[SEC5] beyond a length or a depth there is nothing but the text', () => {
  expect(lexBounded('word '.repeat(30_000))).toBeUndefined();
  expect(lexBounded('>'.repeat(3000))).toBeUndefined();
  expect(lexBounded('- '.repeat(100).concat('x'))).toBeUndefined();
});

test('[SEC5] a long answer is Markdown, and so is a quote within a quote', () => {
  const types = (text: string) => lexBounded(text)?.map(({ type }) => type);
  expect(types('# A\n\nb **c**\n\n- d\n  - e\n\n> > f')).toEqual(
    expect.arrayContaining(['heading', 'paragraph', 'list', 'blockquote']),
  );
  expect(
    types('## Title\n\nA paragraph with `code`, *emphasis* and a [link](https://example.org).\n\n'.repeat(600)),
  ).toContain('heading');
  expect(types(`${'-'.repeat(200)}\n`)).toEqual(['hr']);
});
