import { describe, test } from 'vitest';
import { useHarness } from './harness.ts';
import { describeKill, type Kill, phases } from './kill.ts';
import { type StartKind, startKinds } from './start-kind.ts';

const waiting: Kill = { event: 'interaction_request', nth: 2, phase: 'after broadcast' };
const working: Kill = { place: 'between prompts' };
const recovery = { slot: '$recovery' };

interface Scenario {
  readonly kill: Kill;
  readonly killAgain: Kill;
  /** Only starts of this kind reach the second moment. */
  readonly only?: StartKind;
}

/** Moments of waking and entering a call, after a kill while it waited and one while it worked. */
const scenarios = phases.flatMap((phase): Scenario[] => [
  { kill: waiting, killAgain: { event: 'turn_resumed', phase } },
  { kill: waiting, killAgain: { event: 'interaction_response', phase } },
  { kill: waiting, killAgain: { record: 'outcome:', phase } },
  { kill: waiting, killAgain: { record: 'unheard:', phase }, only: 'asleep' },
  { kill: waiting, killAgain: { record: 'unheard:', nth: 2, phase }, only: 'asleep' },
  { kill: waiting, killAgain: { record: 'deaths', phase }, only: 'careful' },
  { kill: waiting, killAgain: { record: 'deaths', nth: 2, phase }, only: 'careful' },
  { kill: working, killAgain: { event: 'interaction_request', payload: recovery, phase } },
  { kill: working, killAgain: { event: 'interaction_response', payload: { action: 'approve' }, phase } },
  { kill: working, killAgain: { event: 'turn_resumed', phase } },
  { kill: working, killAgain: { record: 'deaths', phase }, only: 'careful' },
]);

describe.each(startKinds)('%s', (start) => {
  const harness = useHarness(start);
  const chosen = scenarios.filter(({ only = start }) => only === start);
  test.each(
    chosen.map(({ kill, killAgain }) => [describeKill(kill), describeKill(killAgain), { kill, killAgain }] as const),
  )('[DUR1, DUR2, DUR4, DUR6, DUR10] killed %s, and then %s', async (_, __, kills) => {
    await harness.run({ tools: ['wizard'], tabs: 1, ...kills });
  });
});
