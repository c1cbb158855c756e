import { expect } from 'vitest';
import { emptyHead, reduceHead } from '../../src/index.ts';
import { agree } from './agree.ts';
import { type DurableModel, unsettled } from './durable-model.ts';
import type { DurableSession } from './durable-session.ts';

/** Checks the invariants that hold at every moment. */
export function checkMoment(model: DurableModel, session: DurableSession): void {
  const { head, log, stored } = session;
  const { calls, hasTurn, queued } = model.facts;
  const actual = head.prompts.map(({ request, state }) => [
    request.interactionId,
    state === 'expired' ? 'deciding' : state,
  ]);
  const expected = model.list(...unsettled).map(([id, { fate }]) => [id, fate]);
  agree(Object.fromEntries(actual), Object.fromEntries(expected));
  agree(
    head.calls.map(({ toolCallId }) => toolCallId),
    [...calls],
  );
  agree([head.seq, head.turn !== null, head.queue.length], [log.length, hasTurn, queued]);
  agree(head.lateAnswers.map(({ response }) => response.interactionId).sort(), model.findUnsaid().sort());
  for (const [answerId, seq] of session.acknowledged) {
    const event = stored[seq - 1];
    const isThere = event?.seq === seq && event.type === 'interaction_response' && event.payload.answerId === answerId;
    if (!isThere) expect(event).toMatchObject({ seq, type: 'interaction_response', payload: { answerId } });
  }
  for (const follower of session.followers) {
    agree(
      follower.log.every((event, index) => event === stored[index]),
      true,
    ); // nobody received what a crash undid
    if (follower.isOnline) agree(follower.head.seq, stored.length);
  }
}

/** Checks the final state, once everything is stored and everybody has reconnected. */
export function checkEnd(model: DurableModel, session: DurableSession): void {
  const { head, log, followers, acknowledged, reportedWinners } = session;
  agree(log.reduce(reduceHead, emptyHead), head);
  for (const follower of followers) {
    agree(follower.log, log);
    agree(follower.head, head);
  }
  const settled = session.eventsOf('interaction_response').map(({ payload }) => payload);
  const winners = new Map(settled.map(({ interactionId, answerId }) => [interactionId, answerId]));
  agree(winners.size, settled.length);
  for (const [id, { winner, fate }] of model.facts.prompts) {
    agree(session.settlementsOf(id).length, unsettled.includes(fate) ? 0 : 1);
    agree(winners.get(id), winner);
  }
  const won = new Set(winners.values());
  for (const answerId of acknowledged.keys()) agree([answerId, won.has(answerId)], [answerId, true]);
  for (const [id, reported] of reportedWinners) agree([...reported], [winners.get(id)]);
}
