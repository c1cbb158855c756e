import { type ChatEvent, emptyState, reduce, type ServerFrame } from '@parleyhq/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addEarlierEvents, emptySessionState, foldSession, hasEarlier, type SessionState } from './session-state.ts';
import { makeTurn } from './testing/sample-log.ts';

const log = [1, 2, 3].flatMap(makeTurn).map((event, n) => stamp(event, n + 1));
const whole = reduce(emptyState, log);

function stamp(event: object, seq: number): ChatEvent {
  const timestamp = new Date(seq * 1000).toISOString();
  return { ...event, seq, id: `e${seq}`, sessionId: 's', timestamp, v: 1 } as ChatEvent;
}

const session = { id: 's' } as never;

/** The frames of a server that has `stored` events, and gets more up to `live` while it answers. */
function answer(from: number, stored: number, live: number): ServerFrame[] {
  const { head } = reduce(emptyState, log.slice(0, stored));
  const chunks = log.slice(from, stored).map((event) => ({ type: 'chat_events', sessionId: 's', events: [event] }));
  const tail = log.slice(stored, live).map((event) => ({ type: 'chat_event', sessionId: 's', event }));
  return [
    { type: 'snapshot', sessionId: 's', epoch: 'e', seq: stored, session, head, streams: [] },
    ...chunks,
    { type: 'live', sessionId: 's', seq: stored },
    ...tail,
  ] as ServerFrame[];
}

test('[RPL1] a reconnect at any point leads to the same state', () => {
  const cut = fc.record({ stored: fc.nat(log.length), live: fc.nat(log.length), after: fc.nat(40) });
  fc.assert(
    fc.property(fc.array(cut, { maxLength: 6 }), (cuts) => {
      let state: SessionState = emptySessionState;
      for (const { stored, live, after } of cuts) {
        const at = Math.max(stored, state.lastSeq);
        state = answer(state.lastSeq, at, Math.max(at, live)).slice(0, after).reduce(foldSession, state);
      }
      state = answer(state.lastSeq, log.length, log.length).reduce(foldSession, state);
      expect(state.items).toEqual(whole.items);
      expect(state.head).toEqual(whole.head);
      expect(state).toMatchObject({ firstSeq: 1, lastSeq: log.length, phase: 'live' });
    }),
  );
});

test('[RPL4] a tail and the pages before it give the same state as the whole log, for every division', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: log.length }), fc.integer({ min: 1, max: 10 }), (tail, page) => {
      let state = answer(log.length - tail, log.length, log.length).reduce(foldSession, emptySessionState);
      while (hasEarlier(state)) {
        const end = state.firstSeq - 1;
        state = addEarlierEvents(state, log.slice(Math.max(0, end - page), end));
      }
      expect(state.items).toEqual(whole.items);
      expect([...state.items.keys()].sort()).toEqual([...whole.items.keys()].sort());
    }),
  );
});

test('[RPL4] older open prompts come first; paging starts after the gap', () => {
  const events = [log[5], ...log.slice(20)] as ChatEvent[];
  const state = foldSession(emptySessionState, { type: 'chat_events', sessionId: 's', events });
  expect(state).toMatchObject({ firstSeq: 21, lastSeq: log.length });
  expect(state.items.get('interaction:call-1.1')).toBeDefined();
});

test('[RPL2] a reset clears the state', () => {
  const before = answer(0, log.length, log.length).reduce(foldSession, emptySessionState);
  const after = foldSession(before, { type: 'reset', sessionId: 's', epoch: 'other' });
  expect(after).toMatchObject({ epoch: 'other', lastSeq: 0, firstSeq: 0 });
  expect(after.items.size).toBe(0);
});

test('[EVT4] streamed text is joined by offset and ends with its event', () => {
  const part = { turnId: 'turn-1', responseId: 'message-1', block: 1, kind: 'text' } as const;
  const stream = (offset: number, text: string) =>
    ({ type: 'stream', sessionId: 's', ...part, offset, text }) as ServerFrame;
  const written = [stream(0, 'Ans'), stream(0, 'Ans'), stream(2, 'swer'), stream(9, 'lost')].reduce(
    foldSession,
    emptySessionState,
  );
  expect(written.streams.map(({ text }) => text)).toEqual(['Answer']);
  const done = log.slice(0, 4).reduce((state, event) => foldSession(state, chatEvent(event)), written);
  expect(done.streams).toEqual([]);
});

test('[EVT4] events before the snapshot do not end the streams of the snapshot', () => {
  const streams = [{ turnId: 'turn-1', responseId: 'message-1', block: 1, kind: 'text', offset: 0, text: 'An' }];
  const snapshot = { type: 'snapshot', sessionId: 's', epoch: 'e', seq: 9, session, head: whole.head, streams };
  const state = [snapshot as unknown as ServerFrame, chatEvent(log[3] as ChatEvent)].reduce(
    foldSession,
    emptySessionState,
  );
  expect(state.streams).toHaveLength(1);
});

function chatEvent(event: ChatEvent): ServerFrame {
  return { type: 'chat_event', sessionId: 's', event };
}
