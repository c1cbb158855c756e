import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalise, isRecord } from './json.ts';
import { jsonValue } from './json-value.ts';

/** Returns the same value with the members of every object in another order. */
function shuffle(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((member) => shuffle(member, seed));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, shuffle(member, seed)] as const);
  const turn = entries.length > 0 ? seed % entries.length : 0;
  return Object.fromEntries([...entries.slice(turn), ...entries.slice(0, turn)].reverse());
}

describe('canonical JSON', () => {
  test('[DUR5] does not depend on the order of keys', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(20), (value, seed) => {
        expect(canonicalise(shuffle(value, seed))).toBe(canonicalise(value));
      }),
    );
  });

  test('[DUR5] parses back to an equal value, so distinct values have distinct texts', () => {
    const plain = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(plain, plain, (left, right) => {
        expect(JSON.parse(canonicalise(left))).toEqual(left);
        if (canonicalise(left) === canonicalise(right)) expect(left).toEqual(right);
      }),
    );
  });

  test('[DUR5] writes every text as JSON.stringify does', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(text, (name) => {
        expect(canonicalise({ [name]: name })).toBe(JSON.stringify({ [name]: name }));
      }),
    );
    for (let unit = 0; unit <= 0xffff; unit += 1) {
      const one = String.fromCharCode(unit);
      if (canonicalise(one) !== JSON.stringify(one)) expect(canonicalise(one)).toBe(JSON.stringify(one));
    }
  });

  test.each<[unknown, string]>([
    [{ b: 1, a: [true, null] }, '{"a":[true,null],"b":1}'],
    [{ B: 1, a: 1, ä: 1, '10': 1, '9': 1 }, '{"10":1,"9":1,"B":1,"a":1,"ä":1}'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [[undefined, 1], '[null,1]'],
    [undefined, 'null'],
    ['a"\n', '"a\\"\\n"'],
    [-0, '0'],
    [{}, '{}'],
    [[], '[]'],
  ])('[DUR5] of %j is %s', (value, text) => {
    expect(canonicalise(value)).toBe(text);
  });

  test('[APR1] distinguishes similar keys', () => {
    const keys: unknown[] = [
      'a,b',
      ['a,b'],
      ['a', 'b'],
      [['a'], 'b'],
      '["a","b"]',
      ['a', 'b', ''],
      1,
      '1',
      [1],
      ['1'],
      null,
      'null',
    ];
    expect(new Set(keys.map(canonicalise)).size).toBe(keys.length);
  });
});

test.each<[unknown, boolean]>([
  [{}, true],
  [Object.create(null), true],
  [[], false],
  [null, false],
  ['x', false],
  [undefined, false],
])('[FRM1] an object is distinguished from %#', (value, expected) => {
  expect(isRecord(value)).toBe(expected);
});

test('[SEC11] values of frames are JSON and nothing else', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(jsonValue.safeParse(value).success).toBe(true);
    }),
  );
  for (const value of [undefined, NaN, () => 1, new Date(), [undefined]]) {
    expect(jsonValue.safeParse(value).success).toBe(false);
  }
});
