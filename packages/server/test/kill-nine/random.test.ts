import { afterAll, beforeAll, test } from 'vitest';
import { Random } from '../support/random.ts';
import { type Plot, Theatre } from './theatre.ts';

/** `npm run test:soak` asks for more. */
const kills = Number(process.env.PARLEY_KILLS ?? 50);
const seed = Number(process.env.PARLEY_SEED ?? Date.now() % 1_000_000);
const roundMs = 30_000;

const tools = [
  'wizard',
  'allow',
  'gated',
  'consent',
  'branches',
  'survey',
  'review',
  'deadline',
  'later',
  'retry',
  'fail',
  'lookup',
];

let theatre: Theatre;
beforeAll(async () => {
  theatre = await Theatre.open();
});
afterAll(() => theatre.close());

test(
  `[DUR1, DUR2, DUR4, INT4, RPL1] ${kills} kills at any moment, some of them twice, break no promise`,
  async () => {
    const random = new Random(seed);
    for (let round = 1; round <= kills; round += 1) {
      const plot = imagine(random);
      await theatre.play(plot).catch((cause: Error) => {
        throw new Error(`PARLEY_SEED=${seed}, round ${round}: ${JSON.stringify(plot)}\n${cause.message}`, { cause });
      });
    }
  },
  kills * roundMs,
);

function imagine(random: Random): Plot {
  const plot: Plot = {
    tools: Array.from({ length: 1 + random.below(3) }, () => random.pick(tools)),
    tabs: random.below(3),
    killAfterMs: random.below(300),
  };
  return random.next() < 0.3 ? { ...plot, killAgainAfterMs: random.below(300) } : plot;
}
