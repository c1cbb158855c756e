import { expect, test } from 'vitest';
import { showHidden } from './visible-text.ts';

test.each([
  ['plain text,\n\tas it is: äöü 你好 שלום', 'plain text,\n\tas it is: äöü 你好 שלום'],
  ['a\u200bb', 'a⟨U+200B⟩b'],
  ['\u202eevil', '⟨U+202E⟩evil'],
  ['\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
  ['tag\u{e0041}', 'tag⟨U+E0041⟩'],
  ['bell\u0007', 'bell⟨U+0007⟩'],
  ['line\r\nline', 'line\nline'],
  ['👩\u200d💻 ❤\ufe0f', '👩\u200d💻 ❤\ufe0f'],
])('[SEC5] %j is shown as %j', (text, shown) => {
  expect(showHidden(text)).toBe(shown);
});
