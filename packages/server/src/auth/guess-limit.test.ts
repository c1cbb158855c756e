import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GuessLimit } from './guess-limit.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const minute = 60_000;

async function guess(limit: GuessLimit, times: number, address = 'a', door = 'login') {
  const waits: (number | undefined)[] = [];
  for (let n = 0; n < times; n += 1) waits.push((await limit.count(door, address))?.ms);
  return waits;
}

test('[SEC2] ten guesses are free, then each doubles the wait, to an hour', async () => {
  const limit = new GuessLimit();
  expect(await guess(limit, 10)).toEqual(Array(10).fill(undefined));
  const minutes = (await guess(limit, 9)).map((ms) => (ms ?? 0) / minute);
  expect(minutes).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('[SEC2] each address and entry point has its own wait, and a wait ends', async () => {
  const limit = new GuessLimit();
  await guess(limit, 12);
  expect(await guess(limit, 1, 'b')).toEqual([undefined]);
  expect(await guess(limit, 1, 'a', 'hello')).toEqual([undefined]);
  await vi.advanceTimersByTimeAsync(2 * minute + 1000);
  expect(await guess(limit, 1)).toEqual([undefined]);
});

test('[SEC2] only a guess that makes the wait longer is reported as such', async () => {
  const limit = new GuessLimit();
  await guess(limit, 10);
  const news: (boolean | undefined)[] = [];
  for (let n = 0; n < 20; n += 1) news.push((await limit.count('login', 'a'))?.isLonger);
  expect(news).toEqual([...Array(7).fill(true), ...Array(13).fill(false)]);
});

test('[SEC2] guesses at the same moment are counted one by one', async () => {
  const limit = new GuessLimit();
  const waits = await Promise.all(Array.from({ length: 13 }, () => limit.count('login', 'a')));
  expect(waits.filter((wait) => wait === undefined)).toHaveLength(10);
  expect(waits.slice(10).every((wait) => wait?.isLonger)).toBe(true);
});
