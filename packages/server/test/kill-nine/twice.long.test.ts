import { test } from 'vitest';
import { useHarness } from './harness.ts';
import { describeKill, type Kill, phases } from './kill.ts';

const harness = useHarness();

const waiting: Kill = { event: 'interaction_request', nth: 2, phase: 'after broadcast' };
const working: Kill = { place: 'between prompts' };
const recovery = { slot: '$recovery' };

/** Moments of re-entering a call, after a kill while it waited and one while it worked. */
const scenarios = phases.flatMap((phase): { kill: Kill; killAgain: Kill }[] => [
  { kill: waiting, killAgain: { event: 'turn_resumed', phase } },
  { kill: waiting, killAgain: { record: 'entries', phase } },
  { kill: waiting, killAgain: { event: 'interaction_response', phase } },
  { kill: working, killAgain: { event: 'interaction_request', payload: recovery, phase } },
  { kill: working, killAgain: { event: 'interaction_response', payload: { action: 'approve' }, phase } },
  { kill: working, killAgain: { record: 'entries', phase } },
]);

test.each(
  scenarios.map(
    (scenario) => [`${describeKill(scenario.kill)}, then ${describeKill(scenario.killAgain)}`, scenario] as const,
  ),
)('[DUR1, DUR2, DUR4, DUR6] killed %s', async (_, scenario) => {
  await harness.run({ tools: ['wizard'], tabs: 1, ...scenario });
});
