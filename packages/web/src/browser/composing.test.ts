import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const sources = new URL('..', import.meta.url);

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: readFileSync(new URL(name, sources), 'utf8') }));

/** What asks which key it was: a key that ends a word, leaves or submits. */
const asksForKey = /\bkey [!=]== '(Enter|Escape)'|\(Enter\|Escape|\.test\(event\.key\)/;

const leavesToMethod = /\b(isComposing|isTyping|isShortcut)\(event\)/;

test('[WEB5] every file that acts on Enter or Escape leaves the keys of input methods alone', () => {
  const acting = files.filter(({ text }) => asksForKey.test(text));
  expect(acting.length).toBeGreaterThan(9);
  expect(acting.filter(({ text }) => !leavesToMethod.test(text)).map(({ name }) => name)).toEqual([]);
});

test('[WEB5] one function says what is a key of an input method: Safari does not say it by `isComposing`', () => {
  const own = files.filter(({ text }) => /\.isComposing\b|\.keyCode\b/.test(text));
  expect(own.map(({ name }) => name)).toEqual(['page/focus.ts']);
});
