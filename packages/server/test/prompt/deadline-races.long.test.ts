import { setTimeout as sleep } from 'node:timers/promises';
import type { InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey, pluginPath, question } from '../support/journey.ts';
import { useServer } from '../support/use-server.ts';

const server = useServer({ plugins: [pluginPath('scripted.mjs')] });

const sessions = 12;
const promptsEach = 50;

/** Whether the n-th answer is sent at once, so that it is in time even on the slowest machine. */
const isUnhurried = (n: number) => n % 5 === 0;

/** Answers shortly before or after the deadline; at once if there is no hurry. */
async function answerNearDeadline(journey: Journey, prompt: InteractionRequest, n: number) {
  if (!isUnhurried(n)) await sleep(Math.max(0, Date.parse(prompt.expiresAt!) - Date.now() - 60 + 80 * Math.random()));
  return journey.submit(prompt, { answer: prompt.slot });
}

const inVain = { ok: false, error: 'timeout' };
const later = { pending: { message: 'later' } };

test.each([
  ['no onTimeout', {}, inVain],
  ['an onTimeout that completes', { onTimeout: [{ return: { complete: 'in vain' } }] }, 'in vain'],
  ['an onTimeout that goes pending', { onTimeout: [{ return: later }] }, { pending: true }],
])(
  `[INT10, INT3, INT4] ${sessions * promptsEach} races of an answer against the deadline, with %s`,
  async (_, hooks, timedOut) => {
    let accepted = 0;
    const race = async () => {
      const journey = await Journey.begin(server);
      const demands = Array.from({ length: promptsEach }, (_, n) => ({
        request: question('answer', { key: `k${n}`, timeoutMs: isUnhurried(n) ? 60_000 : 2000 + 8 * n }),
        onResponse: [{ return: { complete: 'answered' } }],
        ...hooks,
      }));
      await journey.call('parallel', { demands });
      const prompts = await journey.prompts(promptsEach);
      const replies = await Promise.all(prompts.map((prompt, n) => answerNearDeadline(journey, prompt, n)));
      const results = (await journey.outcome()).result as unknown[];

      for (const [n, prompt] of prompts.entries()) {
        const reply = replies[n]!;
        const settlements = journey.settlements(prompt);
        const [settlement] = settlements;
        const isPending = !reply.ok && timedOut !== inVain && timedOut !== 'in vain';
        expect(settlements).toHaveLength(isPending ? 0 : 1);
        expect(settlement?.type === 'interaction_response').toBe(reply.ok);
        const isInTime = settlement?.type === 'interaction_response' && !settlement.payload.late;
        if (isInTime) expect(results[n]).toBe('answered');
        else expect({ result: results[n] }).toMatchObject({ result: timedOut });
        if (reply.ok) accepted += 1;
        else expect(['closed', 'retry_later']).toContain(reply.error.code);
      }
      await journey.tab.close();
    };
    await Promise.all(Array.from({ length: sessions }, race));
    expect(accepted).toBeGreaterThan(0);
  },
);
