import { expect, test } from 'vitest';
import { playWorld } from './world.ts';

const sessionsEach = 10;
const worldMs = 20_000;

/** Tests random histories, as many as the environment says or else this many; the message of a failure has its seed. */
export function testHistories(usual: number): void {
  const count = Number(process.env.PARLEY_HISTORIES ?? usual);
  const first = Number(process.env.PARLEY_SEED ?? 1); // the same each time; new ones are searched for by hand
  const worlds = Math.ceil(count / sessionsEach);

  test(`[OPS4, INT3, INT4, INT7, DUR3, RPL1] ${count} random histories of several nodes on one database break no promise`, {
    timeout: worlds * worldMs,
  }, async () => {
    let histories = 0;
    for (let seed = first; seed < first + worlds; seed += 1) {
      const report = await playWorld(seed, sessionsEach).catch((cause: Error) => {
        throw new Error(`PARLEY_SEED=${seed} PARLEY_HISTORIES=1: ${cause.message}`, { cause });
      });
      histories += report.histories;
    }
    expect(histories).toBeGreaterThanOrEqual(count);
  });
}
