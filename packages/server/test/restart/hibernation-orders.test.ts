import { definePlugin, type InteractionAnswer, type InteractionDemand } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { type LocalServer, startLocalServer } from '../support/local-server.ts';
import { Random } from '../support/random.ts';
import type { Tab } from '../support/tab.ts';
import { countSleeps, toPlainLog, waitForSleeps } from './sleeps.ts';

/** Number of questions of each branch of a call; the branches run in parallel. */
type Plan = readonly number[];

const stories = Number(process.env.PARLEY_HISTORIES ?? 6);
const first = Number(process.env.PARLEY_SEED ?? 1);

/** Steps that ran, by their keys. */
let did: string[] = [];

const asker = definePlugin({
  name: 'asker',
  tools: [
    {
      name: 'asks',
      description: 'Asks in parallel branches.',
      parameters: { type: 'object' },
      hibernates: true,
      handler: async ({ plan }, ctx) => {
        const token = ctx.uuid();
        const branches = (plan as Plan).map(async (count, branch) => {
          const said: unknown[] = [];
          for (let n = 0; n < count; n += 1) {
            const key = `${branch}.${n}`;
            if (n % 2 === 1) said.push(await ctx.step(key, () => did.push(key) > 0));
            const onResponse = ({ action }: InteractionAnswer) => ({ complete: action });
            const demand = { type: 'approval', key, timeoutMs: null, onUnavailable: 'wait' };
            const answer = await ctx.requestInteraction({
              ...demand,
              ...(branch % 2 === 0 && { onResponse }),
            } as InteractionDemand);
            said.push(typeof answer === 'string' ? answer : (answer as unknown as InteractionAnswer).action);
          }
          return said;
        });
        return { said: await Promise.all(branches), isKept: token === ctx.uuid() ? 'not' : 'kept' };
      },
    },
  ],
});

/** Plays the story of a seed: its answers in its order, with a sleep before those that the seed chooses. */
async function tell(seed: number, sleeps: boolean): Promise<unknown> {
  const random = new Random(seed);
  const local: LocalServer = await startLocalServer({
    plugins: [asker],
    durations: { hibernateAfterMs: sleeps ? 20 : 600_000 },
  });
  const tab: Tab = await local.open();
  const session = await tab.createSession();
  await tab.follow(session);
  const plan = Array.from({ length: 1 + random.below(3) }, () => 1 + random.below(3));
  await tab.say(session, `/call asks ${JSON.stringify({ plan })}`);
  const promptOf = async (slot: string) =>
    (await tab.event(session, 'interaction_request', ({ payload }) => payload.slot === slot)).payload;
  const asked = plan.map(() => 0);
  let slept = 0;
  for (;;) {
    const open = asked.flatMap((n, branch) => (n < (plan[branch] ?? 0) ? [branch] : []));
    if (open.length === 0) break;
    for (const branch of open) await promptOf(`${branch}.${asked[branch]}`);
    const branch = random.pick(open);
    const rests = random.below(3) > 0;
    const action = random.pick(['approve', 'deny'] as const);
    if (sleeps && rests) await waitForSleeps(local.url, slept + 1); // otherwise it may sleep, wake or neither
    slept = await countSleeps(local.url);
    await tab.answer(session, await promptOf(`${branch}.${asked[branch]}`), { action });
    asked[branch] = (asked[branch] ?? 0) + 1;
  }
  await tab.event(session, 'turn_end');
  return toPlainLog(tab.events(session));
}

test(`[DUR10] calls that sleep and wake at the questions of ${stories} random stories leave the logs of calls that stay awake`, {
  timeout: stories * 30_000,
}, async () => {
  for (let seed = first; seed < first + stories; seed += 1) {
    did = [];
    const slept = await tell(seed, true);
    const stepsOnce = did.toSorted();
    did = [];
    expect(slept, `PARLEY_SEED=${seed}`).toEqual(await tell(seed, false));
    expect(stepsOnce).toEqual(did.toSorted());
  }
});
