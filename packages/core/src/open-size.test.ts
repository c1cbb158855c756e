import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countBytes } from './open-size.ts';

test('[SEC6] a text is as large as it is in UTF-8', () => {
  const encoder = new TextEncoder();
  fc.assert(
    fc.property(
      fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
      (text) => {
        expect(countBytes(text)).toBe(encoder.encode(text).length);
      },
    ),
  );
  expect(countBytes('a\u00e9\u20ac\u{1f600}\ud83d')).toBe(1 + 2 + 3 + 4 + 3);
});
