import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TokenBucket } from './token-bucket.ts';

const rate = { perSecond: 50, burst: 200 };

test('[SEC6] a burst passes at once, then as many as the rate allows', () => {
  const bucket = new TokenBucket(rate);
  const takeAll = (now: number) => {
    let taken = 0;
    while (bucket.take(now)) taken += 1;
    return taken;
  };
  expect(takeAll(0)).toBe(200);
  expect(takeAll(19)).toBe(0);
  expect(bucket.waitMs).toBeCloseTo(1);
  expect(takeAll(20)).toBe(1);
  expect(takeAll(1020)).toBe(50);
  expect(takeAll(3_600_000)).toBe(200); // never more tokens than a burst
});

test('[SEC6] no period of time lets more through than a burst plus its rate', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 1000 }), (pauses) => {
      const bucket = new TokenBucket(rate);
      let now = 0;
      const passed: number[] = [];
      for (const pause of pauses) {
        now += pause;
        if (bucket.take(now)) passed.push(now);
      }
      for (const [index, from] of passed.entries()) {
        const most = rate.burst + ((passed.at(-1) ?? 0) - from) * (rate.perSecond / 1000);
        expect(passed.length - index).toBeLessThanOrEqual(most + 1e-6);
      }
    }),
  );
});
