import { StoreError } from '@parleyhq/core';
import { expect, onTestFinished, test } from 'vitest';
import type { LocalServer } from '../support/local-server.ts';
import { openAtTwo } from './support/open-at-two.ts';

const patience = { timeout: 30_000 };

/** Makes a node's reads of events fail in the middle from now on. */
function failReads({ store }: LocalServer) {
  let isFailing = true;
  let count = 0;
  store.intercept('events', 'read', async function* (proceed) {
    for await (const texts of proceed()) {
      yield texts;
      if (!isFailing) continue;
      count += 1;
      throw new StoreError('failed', 'made to fail');
    }
  });
  return {
    /** Waits until everything stored so far could not be read, not even when retried. */
    async untilTriedTwice() {
      const before = count;
      await expect.poll(() => count, patience).toBeGreaterThan(before + 1);
    },
    end() {
      isFailing = false;
    },
  };
}

test('[OPS4, DUR8] if changes of other nodes cannot be read, they are read again: every tab sees all of them, once, and no rejection is unhandled', {
  timeout: 120_000,
}, async () => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', hear);
  onTestFinished(() => void process.off('unhandledRejection', hear));
  const { a, b, atA, atB, session } = await openAtTwo();

  const atNodeB = failReads(b);
  await atA.say(session, '/call ask {}');
  const prompt = await atA.prompt(session);
  await atNodeB.untilTriedTwice();
  expect(atB.events(session)).toEqual([]);
  atNodeB.end(); // nothing new is stored that would wake it
  expect(await atB.prompt(session)).toEqual(prompt);

  const atNodeA = failReads(a);
  expect((await atB.answer(session, prompt, { action: 'approve' })).ok).toBe(true);
  await atNodeA.untilTriedTwice();
  atNodeA.end();
  await Promise.all([atA, atB].map((tab) => tab.event(session, 'turn_end')));
  expect(atB.events(session)).toEqual(atA.events(session));
  expect(atB.events(session).map(({ seq }) => seq)).toEqual(atB.events(session).map((_, n) => n + 1));
  expect(unhandled).toEqual([]);
});
