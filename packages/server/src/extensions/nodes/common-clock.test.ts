import { expect, test } from 'vitest';
import { CommonClock } from './common-clock.ts';

test('[OPS4] a clock that is off by more than a second is corrected to the common one, until it is set right', async () => {
  let own = 100_000;
  const clock = new CommonClock(() => own);
  const follow = (right: number, tookMs = 0) =>
    clock.follow(async () => {
      own += tookMs;
      return right;
    });
  await follow(100_900);
  expect(clock.now()).toBe(100_000);
  await follow(40_000, 200);
  expect(clock.now()).toBe(40_100); // read half-way through the request
  own = 40_300; // the clock was set
  await follow(40_200);
  expect(clock.now()).toBe(40_200);
});

test('[OPS4] a slow reply is too inaccurate to correct the clock', async () => {
  let own = 0;
  const clock = new CommonClock(() => own);
  await clock.follow(async () => {
    own += 20_000;
    return 20_000;
  });
  expect(clock.now()).toBe(20_000);
});
