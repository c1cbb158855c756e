import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startKillable } from './acp-stage.ts';

/** The steps of a permission, and for how long after each the victim lives on, in ms. */
const moments = [
  ...[0, 30, 80].map((delay) => ['said', delay] as const),
  ['asked', 0],
  ...[0, 3].map((delay) => ['answering', delay] as const),
  ...[0, 5, 30, 90].map((delay) => ['answered', delay] as const),
] as const;

test.each(['server', 'agent'] as const)(
  '[ACP1] kill -9 of the %s at each step of a permission leaves no prompt open, and nothing is given twice',
  async (victim) => {
    const { server, state, tab } = await startKillable();
    const count = () => ((JSON.parse(readFileSync(state, 'utf8')).notes ?? []) as string[]).filter(isGiven).length;
    const isGiven = (note: string) => note.startsWith('permission');
    const idsOf = (type: 'interaction_request' | 'interaction_response' | 'interaction_closed') =>
      tab.events(type).map(({ payload }) => payload.interactionId);
    /** A message that comes while the last agent dies may end with it. */
    const findPid = async (): Promise<number> => {
      const { payload } = await tab.event('turn_end', undefined, await tab.say('pid'));
      if (payload.status !== 'completed') return findPid();
      return Number(tab.events('assistant_done').at(-1)?.payload.text);
    };
    for (const [step, delay] of moments) {
      const pid = await findPid();
      const before = count();
      const seq = await tab.say('ask:touch_a');
      const prompt = step === 'said' ? undefined : await tab.prompt();
      const isAnswered = prompt && step !== 'asked';
      const answering = isAnswered ? tab.answer(prompt, { action: 'approve' }).catch(() => undefined) : undefined;
      if (step === 'answered') await answering;
      await sleep(delay);
      if (victim === 'agent') process.kill(pid, 'SIGKILL');
      else {
        await server.kill();
        await server.restart();
      }
      await answering;
      const { payload: end } = await tab.event('turn_end', undefined, seq);
      const settled = new Set([...idsOf('interaction_response'), ...idsOf('interaction_closed')]);
      const left = idsOf('interaction_request').filter((id) => !settled.has(id));
      expect({ step, delay, status: end.status, left }).toEqual({
        ...{ step, delay, left: [] },
        status: expect.stringMatching(/^(completed|error)$/),
      });
      expect(count() - before).toBeLessThanOrEqual(1);
    }
  },
);
