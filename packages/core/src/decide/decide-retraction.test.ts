import { expect, test } from 'vitest';
import { World } from '../../test/support/world.ts';

test('[INT11] a prompt whose answer is no longer needed closes as withdrawn, with the reason', () => {
  const world = new World();
  const id = world.ask();
  const closed = world.accept({ type: 'retract', interactionId: id, note: 'Too late.' });
  expect(closed).toMatchObject([
    { type: 'interaction_closed', payload: { interactionId: id, reason: 'withdrawn', note: 'Too late.' } },
  ]);
  expect(world.head.prompts).toEqual([]);
});

test('[ACP1] a prompt of a program that has died closes as orphaned', () => {
  const world = new World();
  const id = world.ask();
  const closed = world.accept({ type: 'retract', interactionId: id, note: 'It died.', isOrphaned: true });
  expect(closed).toMatchObject([{ type: 'interaction_closed', payload: { reason: 'orphaned', note: 'It died.' } }]);
});

test('[INT11, INT4] an answered, pending or expired prompt stays as it is', () => {
  const answered = new World();
  const id = answered.ask();
  answered.accept(answered.answerCommand(id));
  expect(answered.accept({ type: 'retract', interactionId: id })).toEqual([]);
  const pending = new World();
  expect(pending.accept({ type: 'retract', interactionId: pending.askPending() })).toEqual([]);
  const expired = new World();
  const late = expired.ask();
  expired.expire(late);
  expect(expired.accept({ type: 'retract', interactionId: late })).toEqual([]);
});
