import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { arbitraryLog } from '../../test/support/random-log.ts';
import { World } from '../../test/support/world.ts';
import type { ChatEvent } from './event.ts';
import { emptyHead, isWaiting, reduceHead, statusOf } from './head.ts';
import { emptyItems, type Items, listItems, mergeItems, reduceItems } from './items.ts';
import { emptyState, reduce } from './session.ts';

vi.setConfig({ testTimeout: 30_000 }); // hundreds of sessions take long on a busy machine

const logAndCuts = arbitraryLog().chain((log) =>
  fc.record({ log: fc.constant(log), cuts: fc.array(fc.nat(log.length), { minLength: 1, maxLength: 4 }) }),
);

function split(log: readonly ChatEvent[], cuts: readonly number[]): readonly (readonly ChatEvent[])[] {
  const ends = [0, ...[...cuts].sort((a, b) => a - b), log.length];
  return ends.slice(1).map((end, index) => log.slice(ends[index], end));
}

const itemsOf = (log: readonly ChatEvent[]): Items => reduceItems(emptyItems, log);

describe('the fold', () => {
  test('[EVT3] of a whole log equals the fold of its parts one after the other', () => {
    fc.assert(
      fc.property(logAndCuts, ({ log, cuts }) => {
        expect(split(log, cuts).reduce(reduce, emptyState)).toEqual(reduce(emptyState, log));
      }),
      { numRuns: 500 },
    );
  });

  test('[EVT3] goes on from a head that was stored as JSON', () => {
    fc.assert(
      fc.property(logAndCuts, ({ log, cuts: [cut] }) => {
        const cached = JSON.parse(JSON.stringify(log.slice(0, cut).reduce(reduceHead, emptyHead)));
        expect(log.slice(cut).reduce(reduceHead, cached)).toEqual(log.reduce(reduceHead, emptyHead));
      }),
      { numRuns: 500 },
    );
  });

  test('[EVT3] changes neither the state it is given nor the events', () => {
    fc.assert(
      fc.property(logAndCuts, ({ log, cuts: [cut] }) => {
        const state = reduce(emptyState, log.slice(0, cut));
        const [before, unchanged] = [structuredClone(state), structuredClone(log)];
        reduce(state, log.slice(cut));
        expect(state).toEqual(before);
        expect(log).toEqual(unchanged);
        expect(emptyState).toEqual({ head: emptyHead, items: new Map() });
      }),
    );
  });

  test('[EVT3] the transcripts of adjoining parts merge into that of the whole, wherever it is cut', () => {
    fc.assert(
      fc.property(logAndCuts, ({ log, cuts }) => {
        const pieces = split(log, cuts).map(itemsOf);
        expect(pieces.reduce(mergeItems)).toEqual(itemsOf(log));
        expect(pieces.reduceRight((later, earlier) => mergeItems(earlier, later))).toEqual(itemsOf(log));
      }),
      { numRuns: 500 },
    );
  });

  test('[RPL4] a tail and the pages before it read like the whole', () => {
    fc.assert(
      fc.property(arbitraryLog(), fc.integer({ min: 1, max: 9 }), (log, size) => {
        let items = itemsOf(log.slice(-size));
        for (let end = log.length - size; end > 0; end -= size) {
          items = mergeItems(itemsOf(log.slice(Math.max(0, end - size), end)), items);
        }
        expect(listItems(items)).toEqual(listItems(itemsOf(log)));
      }),
    );
  });

  test('[EVT3] the transcript is read in the order of the log', () => {
    fc.assert(
      fc.property(arbitraryLog(), (log) => {
        const seqs = listItems(itemsOf(log)).map(({ seq }) => seq);
        expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b));
      }),
    );
  });

  test('[EVT5] every event is in the transcript: none is dropped', () => {
    fc.assert(
      fc.property(arbitraryLog(), (log) => {
        const text = JSON.stringify(listItems(itemsOf(log)));
        const edited = new Set(
          log.flatMap(({ type, payload }) => (type === 'message_queued' ? payload.messageId : [])),
        );
        for (const { seq, type, payload } of log) {
          if (type === 'message_queued' && edited.has(payload.messageId)) continue; // an edit replaces the first text
          if (type === 'turn_resumed') continue; // only the newest owner is kept
          expect(text).toContain(`"seq":${seq},`);
        }
      }),
    );
  });
});

describe('events and fields that this release does not know', () => {
  const future = (world: World) => {
    world.append([{ type: 'interaction_delegated', payload: { to: 'a manager', deep: { kept: [1] } } }]);
    return world.log.at(-1) as ChatEvent;
  };

  test('[EVT5] an unknown event only advances the head’s seq', () => {
    const world = new World();
    world.ask();
    const before = world.head;
    const event = future(world);
    expect(world.head).toEqual({ ...before, seq: event.seq });
  });

  test('[EVT5] an unknown event is an opaque item that contains it unchanged', () => {
    const world = new World();
    world.ask();
    const event = future(world);
    expect(listItems(itemsOf(world.log)).at(-1)).toMatchObject({ kind: 'opaque', seq: event.seq, event });
  });

  test('[EVT5] unknown fields of a known event survive the fold', () => {
    const world = new World();
    const id = world.ask();
    const event = world.log.at(-1) as ChatEvent<'interaction_request'>;
    const extended = { ...event, payload: { ...event.payload, cohort: ['ops'] }, host: 'a' };
    const { head, items } = reduce(emptyState, [...world.log.slice(0, -1), extended]);
    expect(head.prompts[0]?.request).toHaveProperty('cohort', ['ops']);
    expect(items.get(`interaction:${id}`)).toMatchObject({ request: { payload: { cohort: ['ops'] } } });
  });
});

describe('the status of a session', () => {
  test('[WEB6] idle, running, and waiting while a prompt blocks its turn', () => {
    const world = new World();
    expect(statusOf(world.head)).toBe('idle');
    world.send();
    expect(statusOf(world.head)).toBe('running');
    const id = world.ask();
    expect(statusOf(world.head)).toBe('waiting');
    world.expire(id);
    expect(statusOf(world.head)).toBe('waiting');
    world.defer(id);
    expect(statusOf(world.head)).toBe('running');
    expect(isWaiting(world.head)).toBe(false);
    world.cancel();
    expect(statusOf(world.head)).toBe('idle');
  });

  test('[EVT3] a head without its turn still holds what is pending', () => {
    const world = new World();
    const id = world.askPending();
    world.cancel();
    expect(world.head.prompts.map(({ request }) => request.interactionId)).toEqual([id]);
    expect(statusOf(world.head)).toBe('idle');
  });
});
