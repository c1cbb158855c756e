import { StoreError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { hold } from '../support/hold.ts';
import type { LocalServer } from '../support/local-server.ts';
import { openAtTwo } from './support/open-at-two.ts';

/**
 * Delays a node's answer on its way to the database, and finally loses it; what the node caches waits until another has stored.
 */
function holdAnswer({ store }: LocalServer) {
  const [decided, stored, cached, lost] = [hold(), hold(), hold(), hold()];
  store.intercept('events', 'append', async (proceed, { events }) => {
    if (!events.some(({ text }) => text.includes('"type":"interaction_response"'))) return proceed();
    decided.release();
    await lost.until;
    throw new StoreError('failed', 'made to fail');
  });
  store.intercept('heads', 'save', async (proceed) => {
    await stored.until;
    await proceed();
    cached.release();
  });
  return { decided, stored, cached, lost };
}

test('[OPS4, DUR8] a head that rests on an answer that was never stored is not cached, though another node stored an event at its place', {
  timeout: 120_000,
}, async () => {
  const { start, a, atA, atB, session } = await openAtTwo();
  const answer = holdAnswer(a);

  await atA.say(session, '/call ask {}');
  const prompt = await atA.prompt(session);
  const replied = atA.answer(session, prompt, { action: 'approve' });
  await answer.decided.until;
  await atB.ask({ type: 'update_session', sessionId: session, title: 'Meanwhile' });
  answer.stored.release();
  await answer.cached.until;
  answer.lost.release();
  expect((await replied).ok).toBe(false);

  const atC = await (await start()).open();
  await atC.follow(session);
  const again = await atC.prompt(session);
  expect(again).toEqual(prompt);
  expect(await atC.answer(session, again, { action: 'approve' })).toMatchObject({ ok: true });
  await atC.event(session, 'turn_end');
});
