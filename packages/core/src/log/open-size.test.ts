import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limits } from '../basics/limits.ts';
import { countBytes, isSmall, sizeOfRequest } from './open-size.ts';

test('[SEC6] the size of a text is that in UTF-8', () => {
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

test('[SEC11] a request that is estimated as small is small', () => {
  const fairShare = limits.openPromptBytes / limits.openPrompts;
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), (request) => {
      if (isSmall(request)) expect(sizeOfRequest(request)).toBeLessThanOrEqual(fairShare);
    }),
  );
  expect(isSmall({ prompt: '\u0001'.repeat(fairShare / 6 - 10) })).toBe(true);
  expect(isSmall({ prompt: '\u0001'.repeat(fairShare / 6) })).toBe(false);
});
