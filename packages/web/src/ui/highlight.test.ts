import { expect, test } from 'vitest';
import { highlight } from './highlight.ts';

const code = 'const name = "a <b>"; // done\nexport const port = 80;';

test('[WEB2, SEC5] all code becomes tokens, under any name of its language', () => {
  for (const language of ['ts', 'typescript', 'js', 'TypeScript']) {
    const tokens = highlight(code, language) ?? [];
    expect(tokens.map(({ text }) => text).join('')).toBe(code);
    expect(tokens).toContainEqual({ text: '"a <b>"', kind: 'string' });
    expect(tokens).toContainEqual({ text: 'const', kind: 'keyword' });
    expect(tokens).toContainEqual({ text: '// done', kind: 'comment' });
  }
});

test('[SEC5] markup and its inner languages stay text', () => {
  const markup = '<p onclick="alert(1)">&amp;<script>let a = 1;</script></p>';
  const tokens = highlight(markup, 'html') ?? [];
  expect(tokens.map(({ text }) => text).join('')).toBe(markup);
});

test.each([
  ['an unknown language', 'x', 'klingon'],
  ['no language', 'x', ''],
  ['a name of an object', 'x', 'constructor'],
  ['a text that is too long', 'x'.repeat(20_000), 'ts'],
])('[SEC5] text without a known language stays plain: %s', (_, text, language) => {
  expect(highlight(text, language)).toBeUndefined();
});

test('[SEC6] a text with a very long line stays plain: a pattern could need seconds for it', () => {
  expect(highlight(`const a = 1;\n${'a'.repeat(501)}`, 'ts')).toBeUndefined();
  expect(highlight(`const a = 1;\n${'a'.repeat(500)}`, 'ts')).toBeDefined();
});
