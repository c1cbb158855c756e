import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { arbitraryMoves, type Move, playAll, RandomSession } from '../../test/support/random-log.ts';
import { type ChatEvent, type EventType, envelopeSchema, isKnownEvent, keyOf, payloadSchemas } from './event.ts';
import { emptyHead } from './head.ts';

const manyRuns = { numRuns: 1000 };

vi.setConfig({ testTimeout: 30_000 }); // a thousand sessions take long on a busy machine

/** Checks the invariants of every session at every moment. */
function checkMoment(session: RandomSession): void {
  const { head, log } = session;
  expect(head.seq).toBe(log.length);
  const running = new Set(head.calls.map(({ toolCallId }) => toolCallId));
  expect(head.prompts.filter(({ state, request }) => state !== 'pending' && !running.has(request.toolCallId))).toEqual(
    [],
  );
  expect(head.turn !== null || (head.calls.length === 0 && head.queue.length === 0)).toBe(true);
}

function count<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function settle(moves: readonly Move[]): RandomSession {
  const session = playAll(moves);
  session.settle();
  return session;
}

describe('whatever happens in a session', () => {
  test('[INT11, INT12] no prompt of an ended call can be answered unless it is pending, and nothing outlives its turn', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        const session = new RandomSession();
        for (const move of moves) {
          session.play(move);
          checkMoment(session);
        }
      }),
      manyRuns,
    );
  });

  test('[EVT1] seq is 1, 2, 3 …', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        const { log } = playAll(moves);
        expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
      }),
    );
  });

  test('[INT3] each prompt is asked once, settled at most once, and exactly once when everything has ended', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        const running = playAll(moves);
        for (const id of running.asked) expect(running.settlementsOf(id).length).toBeLessThanOrEqual(1);
        const ended = settle(moves);
        expect(ended.eventsOf('interaction_request').map(({ payload }) => payload.interactionId)).toEqual(ended.asked);
        for (const id of ended.asked) expect(ended.settlementsOf(id)).toHaveLength(1);
      }),
      manyRuns,
    );
  });

  test('[INT2] no interactionId is used twice, and each names its call', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        const requests = playAll(moves)
          .eventsOf('interaction_request')
          .map(({ payload }) => payload);
        expect(new Set(requests.map(({ interactionId }) => interactionId)).size).toBe(requests.length);
        for (const { toolCallId, interactionId } of requests) {
          expect(interactionId.startsWith(`${toolCallId}.`)).toBe(true);
          expect(interactionId.slice(toolCallId.length + 1)).toMatch(/^\d+$/);
        }
      }),
    );
  });

  test('[INT8] each reprompt replaces an earlier prompt of its call and counts one attempt more', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        const session = playAll(moves);
        for (const { payload } of session.eventsOf('interaction_request')) {
          const last = payload.replaces === undefined ? undefined : session.requestOf(payload.replaces);
          expect(last?.toolCallId).toBe(payload.replaces && payload.toolCallId);
          expect(payload.attempt).toBe((last?.attempt ?? 0) + 1);
        }
      }),
    );
  });

  test('[INT7] each call gets exactly one tool_result once its turn has ended, none before its call', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        const session = settle(moves);
        const calls = session.eventsOf('tool_call').map(({ payload }) => payload.toolCallId);
        const results = session.eventsOf('tool_result').map(({ payload }) => payload.toolCallId);
        expect([...results].sort()).toEqual([...calls].sort());
        const seqOf = new Map(session.eventsOf('tool_call').map(({ payload, seq }) => [payload.toolCallId, seq]));
        for (const { payload, seq } of session.eventsOf('tool_result')) {
          expect(seq).toBeGreaterThan(seqOf.get(payload.toolCallId) ?? seq);
        }
      }),
      manyRuns,
    );
  });

  test('[INT9] each late answer but a cancel becomes exactly one message, and nothing else does', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        const session = settle(moves);
        const late = session.eventsOf('interaction_response').filter(({ payload }) => payload.late);
        const expected = late.filter(({ payload }) => payload.action !== 'cancel');
        const said = [...session.eventsOf('user_message'), ...session.eventsOf('message_queued')]
          .filter((event) => event.payload.origin === 'interaction')
          .map(({ payload }) => payload.messageId);
        expect([...new Set(said)].sort()).toEqual(
          expected.map(({ payload }) => `late:${payload.interactionId}`).sort(),
        );
      }),
      manyRuns,
    );
  });

  test('[INT4] the key of an event is unique in its log', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        const keys = settle(moves).log.flatMap((event) => keyOf(event) ?? []);
        expect([...count(keys)].filter(([, times]) => times > 1)).toEqual([]);
      }),
      manyRuns,
    );
  });

  test('[INT19] each message sent starts one turn, waits, or was taken back', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        const session = settle(moves);
        const sent = session.eventsOf('user_message').map(({ payload }) => payload.messageId);
        const queued = session.eventsOf('message_queued').filter(({ payload }) => !payload.isEdit);
        const back = new Set(session.eventsOf('message_unqueued').map(({ payload }) => payload.messageId));
        expect(sent).toHaveLength(session.eventsOf('turn_start').length);
        for (const { payload } of queued) expect(back.has(payload.messageId)).toBe(!sent.includes(payload.messageId));
        expect(session.eventsOf('turn_end')).toHaveLength(session.eventsOf('turn_start').length);
      }),
    );
  });

  test('[EVT3] the head is empty again when everything has ended: it holds unfinished work only', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        const { head, log } = settle(moves);
        expect(head).toEqual({ ...emptyHead, seq: log.length });
      }),
      manyRuns,
    );
  });

  test('[EVT1, FRM1] each event fits the envelope and the schema of its payload, and keeps every field through both', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        for (const event of settle(moves).log) {
          expect(envelopeSchema.parse(event)).toEqual(event);
          if (isKnownEvent(event)) expect(payloadSchemas[event.type].parse(event.payload)).toEqual(event.payload);
        }
      }),
    );
  });

  test('[INT16] no log holds a secret', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        expect(JSON.stringify(settle(moves).log)).not.toContain('4711');
      }),
    );
  });

  test('[EVT2] a refused or repeated command leaves no event', () => {
    fc.assert(
      fc.property(arbitraryMoves(), (moves) => {
        const session = playAll(moves);
        for (const id of session.asked.filter((id) => session.settlementsOf(id).length > 0)) {
          const before = session.log.length;
          expect(session.answer(id).kind).toBe('refused');
          expect(session.log).toHaveLength(before);
        }
      }),
    );
  });
});

test('the random sessions write every type of event except those that only a server or a deletion writes', () => {
  const seen = new Set<string>();
  const collect = (log: readonly ChatEvent[]) => {
    for (const { type } of log) seen.add(type);
  };
  fc.assert(
    fc.property(arbitraryMoves(), (moves) => collect(settle(moves).log)),
    { numRuns: 3000 }, // votes are rare
  );
  const types = Object.keys(payloadSchemas) as EventType[];
  expect(types.filter((type) => !seen.has(type))).toEqual([]);
});
