import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import { Journey, loadPlugin } from '../support/journey.ts';
import type { Reply, Tab } from '../support/tab.ts';

const field = { id: 'a', type: 'text', pattern: '(a+)+b' };
const request = { type: 'input', inputSchema: { type: 'form', fields: [field] } };

test('[SEC11, INT6] refused answers spend the CPU time of their person, over all tokens, and nobody else waits for it', async () => {
  const server = await startGuardedServer({ plugins: [await loadPlugin('scripted.mjs')] });
  const owner = await Journey.begin({ open: (options) => server.enter(undefined, options) });
  const join = async (person: string) => {
    const tab = await server.enter({ role: 'responder', owner: person });
    await tab.follow(owner.session);
    return tab;
  };
  const [ann, phone, bob] = [await join('ann'), await join('ann'), await join('bob')];
  const prompt = await owner.ask('scripted', { request });
  const answer = (tab: Tab, a: string) =>
    tab.answer(owner.session, prompt, { action: 'submit', input: { a } }) as Promise<Reply & { error: object }>;
  /** Counts how many answers that use their whole time are invalid before one is refused unread. */
  const spendAll = async (tab: Tab) => {
    for (let count = 0; ; count += 1) {
      const { error } = await answer(tab, 'a'.repeat(40));
      if ('code' in error && error.code === 'invalid') continue;
      const details = { limit: 'patternMsPerMinute', retryAfterMs: expect.any(Number) };
      expect(error).toMatchObject({ code: 'rate_limited', details });
      return count;
    }
  };

  expect(await spendAll(ann)).toBeGreaterThan(5);
  expect(await spendAll(phone)).toBeLessThan(5);
  expect(owner.settlements(prompt)).toEqual([]);
  expect(await answer(bob, 'aab')).toMatchObject({ ok: true });
  expect(await answer(ann, 'aab')).toMatchObject({ ok: false, error: { code: 'already_answered' } });
});
