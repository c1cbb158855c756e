import { expect, test } from 'vitest';
import { toLine } from './line.ts';

test('[SEC5] what others wrote moves no cursor of a terminal, and begins no line of its own', () => {
  expect(toLine('a\u001b[2J\u009b2J\u202eb\nforged\tline')).toBe('a⟨U+001B⟩[2J⟨U+009B⟩2J⟨U+202E⟩b forged line\n');
});
