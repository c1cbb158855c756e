import { test } from 'vitest';
import { Random } from '../support/random.ts';
import { type Scenario, useHarness } from './harness.ts';
import { startKinds } from './start-kind.ts';
import { randomTools } from './tools.ts';

const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
const roundMs = 30_000;

/** Tests kills at random moments, as many as the environment says or else this many. */
export function testRandomKills(usual: number): void {
  const kills = Number(process.env.PARLEY_KILLS ?? usual);
  const harnesses = new Map(startKinds.map((start) => [start, useHarness(start)]));

  test.each([...harnesses])(
    `[DUR1, DUR2, DUR4, DUR10, INT4, RPL1] ${kills} kills at random moments, some of them twice, break no promise: calls are %s`,
    async (_, harness) => {
      const random = new Random(seed);
      for (let round = 1; round <= kills; round += 1) {
        const scenario = randomScenario(random);
        await harness.run(scenario).catch((cause: Error) => {
          throw new Error(`PARLEY_SEED=${seed}, round ${round}: ${JSON.stringify(scenario)}\n${cause.message}`, {
            cause,
          });
        });
      }
    },
    kills * roundMs,
  );
}

function randomScenario(random: Random): Scenario {
  const scenario: Scenario = {
    tools: Array.from({ length: 1 + random.below(3) }, () => random.pick(randomTools)),
    tabs: random.below(3),
    killAfterMs: random.below(300),
  };
  return random.next() < 0.3 ? { ...scenario, killAgainAfterMs: random.below(300) } : scenario;
}
