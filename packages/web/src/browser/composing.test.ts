import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const sources = new URL('..', import.meta.url);

const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => ({ name, text: readFileSync(new URL(name, sources), 'utf8') }));

/** Code that compares the key of an event: keys that end a word, cancel or submit. */
const asksForKey = /\bkey [!=]== '(Enter|Escape)'|\(Enter\|Escape|\.test\(event\.key\)/;

const leavesToMethod = /\b(isComposing|isTyping|isShortcut)\(event\)/;

test('[WEB5] every file that acts on Enter or Escape ignores the keys of input methods', () => {
  const acting = files.filter(({ text }) => asksForKey.test(text));
  expect(acting.length).toBeGreaterThan(9);
  expect(acting.filter(({ text }) => !leavesToMethod.test(text)).map(({ name }) => name)).toEqual([]);
});

test('[WEB5] only one function recognises the keys of input methods: Safari does not mark them by `isComposing`', () => {
  const own = files.filter(({ text }) => /\.isComposing\b|\.keyCode\b/.test(text));
  expect(own.map(({ name }) => name)).toEqual(['browser/focus.ts']);
});
