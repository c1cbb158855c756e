import { expect, test } from 'vitest';
import { playWorld } from './world.ts';

const seed = Number(process.env.PARLEY_SEED ?? 1);
const worlds = Number(process.env.PARLEY_WORLDS ?? 3);

test('sim', { timeout: 120_000 }, async () => {
  for (let n = 0; n < worlds; n += 1) {
    const begun = process.hrtime.bigint();
    const report = await playWorld(seed + n, 10).catch((error: Error) => {
      throw new Error(`PARLEY_SEED=${seed + n}: ${error.message}`, { cause: error });
    });
    console.log(seed + n, report.steps, Number(process.hrtime.bigint() - begun) / 1e6, report.trace.length);
  }
  expect(1).toBe(1);
});
