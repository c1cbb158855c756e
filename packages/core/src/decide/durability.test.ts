import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { checkEnd } from '../../test/support/durable-check.ts';
import { arbitraryStory, moves, type Story } from '../../test/support/durable-commands.ts';
import { DurableModel } from '../../test/support/durable-model.ts';
import { DurableSession } from '../../test/support/durable-session.ts';

vi.setConfig({ testTimeout: 120_000 }); // ten thousand sessions take long on a busy machine

/** Plays a story next to the model, which checks every moment of it; at the end everything is stored and everybody reconnects. */
function play(story: Story): { model: DurableModel; session: DurableSession } {
  const [model, session] = [new DurableModel(), new DurableSession()];
  fc.modelRun(() => ({ model, real: session }), story);
  session.commit(true);
  for (const follower of session.followers) session.connect(follower);
  return { model, session };
}

test('[DUR1, INT3, INT4, RPL1] through answers, timeouts, deferrals, stops and kills, one answer wins and acknowledged events persist', () => {
  const played = new Set<string>();
  fc.assert(
    fc.property(arbitraryStory(60), (story) => {
      const { model, session } = play(story);
      checkEnd(model, session);
      for (const name of model.played) played.add(name);
    }),
    { numRuns: 10_000 },
  );
  const replies = [
    'accepted',
    'repeated',
    'invalid',
    'not_found',
    'already_answered',
    'stale',
    'closed',
    'retry_later',
  ];
  expect(played).toEqual(new Set([...Object.keys(moves), ...replies, 'idempotency_conflict']));
});

test('[INT3, INT11] a story that ends settles each of its prompts once', () => {
  fc.assert(
    fc.property(arbitraryStory(30), (story) => {
      const { session } = play(story);
      while (session.head.turn) session.cancel();
      for (const { request } of session.head.prompts) session.answer(request.interactionId, { action: 'cancel' });
      for (const { payload } of session.eventsOf('interaction_request')) {
        expect(session.settlementsOf(payload.interactionId)).toHaveLength(1);
      }
    }),
    { numRuns: 1000 },
  );
});
