import { StoreError } from '@parleyhq/core';
import { expect, onTestFinished, test } from 'vitest';
import type { LocalServer } from '../support/local-server.ts';
import { openAtTwo } from './support/open-at-two.ts';

const patience = { timeout: 30_000 };

/** From now on a node's reads of events end with a fault of the database, in the middle of what they gave. */
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
    /** Waits until all that was stored by now could not be read, and not when it was tried again either. */
    async untilTriedTwice() {
      const before = count;
      await expect.poll(() => count, patience).toBeGreaterThan(before + 1);
    },
    end() {
      isFailing = false;
    },
  };
}

test('[OPS4, DUR8] where what other nodes stored cannot be read it is read again: every tab sees all of it, once, and nothing is left unhandled', {
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
