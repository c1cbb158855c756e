import { expect, test } from 'vitest';
import { OneAtATime } from './one-at-a-time.ts';

/** Work whose runs end when the test resolves them. */
function make() {
  const runs: { resolve(value: number): void; reject(error: Error): void }[] = [];
  const work = new OneAtATime(() => new Promise<number>((resolve, reject) => runs.push({ resolve, reject })), 0);
  return { runs, work };
}

test('[AGT4] callers during a run share one more run, which begins when the first has ended', async () => {
  const { runs, work } = make();
  const first = work.run();
  const [second, third] = [work.run(), work.run()];
  expect(runs).toHaveLength(1);
  runs[0]?.resolve(1);
  expect(await first).toBe(1);
  await expect.poll(() => runs.length).toBe(2);
  runs[1]?.resolve(2);
  expect([await second, await third]).toEqual([2, 2]);
  const fourth = work.run();
  expect(runs).toHaveLength(3);
  runs[2]?.resolve(3);
  expect(await fourth).toBe(3);
});

test('[AGT4] a failed run fails only for its own callers', async () => {
  const { runs, work } = make();
  const [first, second] = [work.run(), work.run()];
  runs[0]?.reject(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await expect.poll(() => runs.length).toBe(2);
  runs[1]?.resolve(2);
  expect(await second).toBe(2);
});
