import { expect, test } from 'vitest';
import { OneAtATime } from './one-at-a-time.ts';

/** Work whose runs end when the test says so. */
function make() {
  const runs: { resolve(value: number): void; reject(error: Error): void }[] = [];
  const work = new OneAtATime(() => new Promise<number>((resolve, reject) => runs.push({ resolve, reject })), 0);
  return { runs, work };
}

test('[AGT4] whoever asks while it runs gets one run more, which begins when the first is over', async () => {
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

test('[AGT4] a run that fails fails for whoever asked for it alone', async () => {
  const { runs, work } = make();
  const [first, second] = [work.run(), work.run()];
  runs[0]?.reject(new Error('gone'));
  await expect(first).rejects.toThrow('gone');
  await expect.poll(() => runs.length).toBe(2);
  runs[1]?.resolve(2);
  expect(await second).toBe(2);
});
