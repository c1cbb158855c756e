import { expect, test, vi } from 'vitest';
import { lexBounded } from './bounded-lexer.ts';

/** Limit of CPU time in ms; without bounds the parser takes seconds or minutes for these texts. */
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
  ['quotes continued without a mark', '> a\nb\n'.repeat(20_000)],
  ['a list continued without an indent', '- |*\n~~'.repeat(18_000)],
  ['a list continued with an indent', '- '.concat("  <a '\n".repeat(18_000))],
  ['a long line of spaces', 'www.'.concat(' '.repeat(130_000))],
  ['a long word', 'b'.repeat(130_000).concat('@')],
])('[SEC5] %s cost no more than a moment', (_, text) => {
  const begin = process.cpuUsage();
  lexBounded(text);
  expect(process.cpuUsage(begin).user / 1000).toBeLessThan(promptly);
});

test('[SEC5] how long the parser takes on a busy machine does not change how a text looks', () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 1000));
  expect(lexBounded('a **b**')?.at(0)).toMatchObject({ tokens: [{ type: 'text' }, { type: 'strong' }] });
  clock.mockRestore();
});

test('[SEC5] if the inline formatting of a text is too much work, the rest of it is shown as written', () => {
  const costly = '_a__'.repeat(900).concat('\n\n').repeat(4);
  const last = lexBounded(`**a**\n\n${costly}**b**`)?.at(-1);
  expect(last).toMatchObject({ type: 'paragraph', tokens: [{ type: 'text', text: '**b**' }] });
});

test.each([
  ['a list', '- a\n'.repeat(15_000)],
  ['a table', '|a|b|\n|-|-|\n'.concat('|a|b|\n'.repeat(6000))],
  ['short paragraphs', 'a\n\n'.repeat(12_000)],
])('[SEC5] %s of more parts than a page can render is shown plain', (_, text) => {
  expect(lexBounded(text)).toBeUndefined();
  expect(lexBounded(text.slice(0, text.length / 20))).toBeDefined();
});

test('[SEC5] beyond a length or a depth only plain text is shown', () => {
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
