import { afterAll, beforeAll, test } from 'vitest';
import { describeKill, type Kill, phases } from './kill.ts';
import { Theatre } from './theatre.ts';

let theatre: Theatre;
beforeAll(async () => {
  theatre = await Theatre.open();
});
afterAll(() => theatre.close());

const waiting: Kill = { event: 'interaction_request', nth: 2, phase: 'after broadcast' };
const working: Kill = { place: 'between prompts' };
const recovery = { slot: '$recovery' };

/** Moments of taking a call up again: after a kill that found it waiting, and one that found it at work. */
const plots = phases.flatMap((phase): { kill: Kill; killAgain: Kill }[] => [
  { kill: waiting, killAgain: { event: 'turn_resumed', phase } },
  { kill: waiting, killAgain: { record: 'entries', phase } },
  { kill: waiting, killAgain: { event: 'interaction_response', phase } },
  { kill: working, killAgain: { event: 'interaction_request', payload: recovery, phase } },
  { kill: working, killAgain: { event: 'interaction_response', payload: { action: 'approve' }, phase } },
  { kill: working, killAgain: { record: 'entries', phase } },
]);

test.each(plots.map((plot) => [`${describeKill(plot.kill)}, then ${describeKill(plot.killAgain)}`, plot] as const))(
  '[DUR1, DUR2, DUR4, DUR6] killed %s',
  async (_, plot) => {
    await theatre.play({ tools: ['wizard'], tabs: 1, ...plot });
  },
);
