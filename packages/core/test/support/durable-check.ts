import { expect } from 'vitest';
import { emptyHead, reduceHead } from '../../src/index.ts';
import { type DurableModel, unsettled } from './durable-model.ts';
import type { DurableSession } from './durable-session.ts';

/** What people may rely on at every moment. */
export function checkMoment(model: DurableModel, session: DurableSession): void {
  const { head, log, stored } = session;
  const { calls, hasTurn, queued } = model.facts;
  const told = head.prompts.map(({ request, state }) => [
    request.interactionId,
    state === 'expired' ? 'deciding' : state,
  ]);
  const meant = model.list(...unsettled).map(([id, { fate }]) => [id, fate]);
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(meant));
  expect(head.calls.map(({ toolCallId }) => toolCallId)).toEqual([...calls]);
  expect([head.seq, head.turn !== null, head.queue.length]).toEqual([log.length, hasTurn, queued]);
  expect(head.lateAnswers.map(({ response }) => response.interactionId).sort()).toEqual(model.findUnsaid().sort());
  for (const [answerId, seq] of session.acknowledged) {
    expect(stored[seq - 1]).toMatchObject({ seq, type: 'interaction_response', payload: { answerId } });
  }
  for (const follower of session.followers) {
    expect(follower.log.every((event, index) => event === stored[index])).toBe(true); // nobody heard what a crash undid
    if (follower.isOnline) expect(follower.head.seq).toBe(stored.length);
  }
}

/** What stands in the end, once all is stored and everybody is back. */
export function checkEnd(model: DurableModel, session: DurableSession): void {
  const { head, log, followers, acknowledged, toldWinners } = session;
  expect(log.reduce(reduceHead, emptyHead)).toEqual(head);
  for (const follower of followers) {
    expect(follower.log).toEqual(log);
    expect(follower.head).toEqual(head);
  }
  const settled = session.eventsOf('interaction_response').map(({ payload }) => payload);
  const winners = new Map(settled.map(({ interactionId, answerId }) => [interactionId, answerId]));
  expect(winners.size).toBe(settled.length);
  for (const [id, { winner, fate }] of model.facts.prompts) {
    expect(session.settlementsOf(id)).toHaveLength(unsettled.includes(fate) ? 0 : 1);
    expect(winners.get(id)).toBe(winner);
  }
  expect([...winners.values()]).toEqual(expect.arrayContaining([...acknowledged.keys()]));
  for (const [id, told] of toldWinners) expect([...told]).toEqual([winners.get(id)]);
}
