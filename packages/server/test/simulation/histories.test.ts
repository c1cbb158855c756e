import { expect, test } from 'vitest';
import { testHistories } from './histories.ts';
import { playWorld } from './world.ts';

testHistories(30);

test('a seed gives the same history each time', async () => {
  const [first, again, other] = [await playWorld(7, 3), await playWorld(7, 3), await playWorld(8, 3)];
  expect(again).toEqual(first);
  expect(other.trace).not.toEqual(first.trace);
});
