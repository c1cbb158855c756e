import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJson, type Json } from '../basics/json.ts';
import { type GrantKey, nameCallerGrant, nameCallGrant, nameGrant, readGrantRule } from './grant.ts';

/** Separators and quotes, with which carelessly joined keys could collide. */
const tricky = fc.string({ unit: fc.constantFrom(...'a,:"\\[]{} \n\u0000é\ud800') });
const value = fc.oneof(tricky, fc.jsonValue() as fc.Arbitrary<Json>, fc.dictionary(tricky, tricky));
const key: fc.Arbitrary<GrantKey> = fc.oneof(tricky, fc.string({ unit: 'binary' }), fc.array(value, { maxLength: 4 }));
/** Normalises like JSON: minus zero becomes zero. */
const plain = (given: unknown): unknown => JSON.parse(JSON.stringify(given));
/** Returns the same members in another order. */
const turned = (given: unknown): unknown =>
  JSON.parse(JSON.stringify(given), (_, it) =>
    it && typeof it === 'object' && !Array.isArray(it) ? Object.fromEntries(Object.entries(it).reverse()) : it,
  );

describe('the name of a grant', () => {
  test('[APR1] is unique to a key, however the key is written', () => {
    fc.assert(
      fc.property(key, key, (a, b) => {
        expect(nameGrant(a) === nameGrant(b)).toBe(isDeepStrictEqual(plain(a), plain(b)));
        expect(nameGrant(turned(a) as GrantKey)).toBe(nameGrant(a));
      }),
      { numRuns: 20_000 },
    );
  });

  test('[APR1] can be read back, so that two keys never have the same name', () => {
    fc.assert(
      fc.property(key, (given) => {
        const rule = readGrantRule(nameGrant(given));
        expect(rule).toEqual({ kind: 'key', parts: Array.isArray(given) ? plain(given) : [given] });
      }),
      { numRuns: 5000 },
    );
  });

  test('[APR1, APR3] of the gate differs from every plugin’s, and covers one tool with exactly these arguments', () => {
    fc.assert(
      fc.property(fc.tuple(tricky, value), fc.tuple(tricky, value), key, ([tool, args], [other, more], own) => {
        const name = nameCallGrant({ name: tool }, args);
        expect(name).not.toBe(nameGrant(own));
        expect(name === nameCallGrant({ name: other }, more)).toBe(
          isDeepStrictEqual(plain([tool, args]), plain([other, more])),
        );
        expect(readGrantRule(name)).toEqual({ kind: 'call', toolName: tool, args: plain(args) });
      }),
      { numRuns: 10_000 },
    );
  });

  test.each([
    ['a number', 7],
    ['nothing', undefined],
    ['null', null],
    ['an object', { tool: 'x', args: {} }],
    ['no number', [Number.NaN]],
    ['an infinity', [Number.POSITIVE_INFINITY]],
    ['a hole', [1, undefined, 2]],
    ['an array with a gap', Array(2)],
    ['a member without a value', [{ a: undefined }]],
    ['a date', [new Date(0)]],
    ['a map', [new Map([['a', 1]])]],
    ['a symbol', [Symbol.iterator]],
    ['a big number', [1n]],
  ])('[APR1] does not exist for %s, because JSON would change the key', (_, given) => {
    expect(() => nameGrant(given as GrantKey)).toThrow(/key of an approval/);
    expect(isJson(given) && (typeof given === 'string' || Array.isArray(given))).toBe(false);
  });
});

test('[ASK3] a consent to one program’s request names that program, and covers no other', () => {
  const key = nameGrant(['deploy', 'production']);
  const [own, other] = ['ci', 'bot'].map((principal) => nameCallerGrant(principal, key));
  expect(own).not.toBe(other);
  expect(readGrantRule(own ?? '')).toEqual({ kind: 'key', parts: ['deploy', 'production'], caller: 'ci' });
});
