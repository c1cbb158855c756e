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
  ['👩\u200d💻 👩🏽\u200d💻 ❤\ufe0f 1\ufe0f\u20e3', '👩\u200d💻 👩🏽\u200d💻 ❤\ufe0f 1\ufe0f\u20e3'],
  ['a\ufe0f ❤\ufe0f\ufe01\u{e0100}', 'a⟨U+FE0F⟩ ❤\ufe0f⟨U+FE01⟩⟨U+E0100⟩'],
  ['葛\u{e0100} \u2800 \u{e0fff}', '葛\u{e0100} ⟨U+2800⟩ ⟨U+E0FFF⟩'],
  ['z\u0351\u0351\u0351\u0351\u0352\u0353', 'z\u0351\u0351\u0351\u0351⟨U+0352⟩⟨U+0353⟩'],
  ['rm x;                    # fine', 'rm x;                    # fine'],
  [`ls${' '.repeat(64)}${'\u3000'}; rm`, 'ls⟨65 spaces⟩; rm'],
  [`ls${'\n'.repeat(20)}; rm`, `ls${'\n'.repeat(20)}; rm`],
  [`ls${'\n \t\n'.repeat(200)}; rm`, 'ls\n⟨399 empty lines⟩\n; rm'],
])('[SEC5] %j is shown as %j', (text, shown) => {
  expect(showHidden(text)).toBe(shown);
});
