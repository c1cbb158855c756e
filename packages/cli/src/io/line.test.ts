import { expect, test } from 'vitest';
import { forTerminal, toLine } from './line.ts';

test('[SEC5] text from others can neither move the cursor of a terminal nor begin a line', () => {
  expect(toLine('a\u001b[2J\u009b2J\u202eb\nforged\tline')).toBe('a⟨U+001B⟩[2J⟨U+009B⟩2J⟨U+202E⟩b forged line\n');
});

test('[SEC5] a terminal gets no control characters, and JSON still reads the same', () => {
  const text = JSON.stringify({ said: 'a\u001b[2J\u009b2J\u007f\u202eb\nc' });
  const shown = forTerminal(`${text}\n`, true);
  expect([...shown].filter((character) => /[\p{Cc}\u202e]/u.test(character))).toEqual(['\n']);
  expect(JSON.parse(shown)).toEqual(JSON.parse(text));
  expect(forTerminal('# a\u001b[2J\r\n', true)).toBe('# a\\u001b[2J\\u000d\n');
  expect(forTerminal(text, false)).toBe(text);
});
