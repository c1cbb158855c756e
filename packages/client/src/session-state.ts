import {
  type ChatEvent,
  type Epoch,
  emptyHead,
  emptyItems,
  fillExcerpt,
  fillFromHead,
  type Head,
  type Items,
  mergeItems,
  reduceHead,
  reduceItems,
  type Seq,
  type ServerFrame,
  type Session,
} from '@parleyhq/core';
import { addStreamPart, endStreams, type Stream } from './streams.ts';

/** A client's state of an opened session. */
export interface SessionState {
  /** `behind`: out of date, while disconnected or catching up; `gone`: deleted, never existed or not visible. */
  readonly phase: 'loading' | 'behind' | 'live' | 'gone';
  readonly session: Session | undefined;
  readonly epoch: Epoch | undefined;
  readonly head: Head;
  readonly items: Items;
  readonly streams: readonly Stream[];
  /** Seq of the first event of the contiguous range that ends with `lastSeq`; 0 before any event. */
  readonly firstSeq: Seq;
  readonly lastSeq: Seq;
  /** Seq of the last snapshot, whose head and streams include all events up to it. */
  readonly snapshotSeq: Seq;
}

export const emptySessionState: SessionState = {
  phase: 'loading',
  session: undefined,
  epoch: undefined,
  head: emptyHead,
  items: emptyItems,
  streams: [],
  firstSeq: 0,
  lastSeq: 0,
  snapshotSeq: 0,
};

/** Whether there are earlier events to load. */
export function hasEarlier(state: SessionState): boolean {
  return state.firstSeq > 1;
}

/** Returns the state after one more frame of this session. Pure. A reconnect at any point leads to the same state (RPL1). */
export function foldSession(state: SessionState, frame: ServerFrame): SessionState {
  switch (frame.type) {
    case 'reset':
      return { ...emptySessionState, session: state.session, epoch: frame.epoch };
    case 'snapshot': {
      const { session, epoch, seq, streams } = frame;
      const base = state.epoch === undefined || state.epoch === epoch ? state : emptySessionState;
      const head = frame.head.isExcerpt ? fillFromHead(frame.head, base.head) : frame.head;
      const phase = base.phase === 'loading' ? 'loading' : 'behind';
      const joined = streams.reduce(addStreamPart, [] as readonly Stream[]);
      return { ...base, phase, session, epoch, head, streams: joined, snapshotSeq: seq };
    }
    case 'chat_events':
      return foldEvents(state, frame.events);
    case 'chat_event':
      return foldEvents(state, [frame.event]);
    case 'live':
      return { ...state, phase: 'live' };
    case 'stream':
      return { ...state, streams: addStreamPart(state.streams, frame) };
    case 'session_updated':
      return { ...state, session: frame.session };
    case 'session_deleted':
      return { ...state, phase: 'gone' };
    default:
      return state;
  }
}

function foldEvents(state: SessionState, events: readonly ChatEvent[]): SessionState {
  let { head, streams, firstSeq, lastSeq } = state;
  for (const event of events) {
    if (event.seq > lastSeq + 1 || firstSeq === 0) firstSeq = event.seq; // there is a gap before a tail (RPL4)
    lastSeq = Math.max(lastSeq, event.seq);
    if (event.seq <= head.seq && head.isExcerpt) head = fillExcerpt(head, event);
    if (event.seq <= head.seq) continue;
    head = reduceHead(head, event);
    streams = endStreams(streams, event);
  }
  return { ...state, items: reduceItems(state.items, events), head, streams, firstSeq, lastSeq };
}

/** Adds a page of `read_events` that ends right before `state.firstSeq`. */
export function addEarlierEvents(state: SessionState, events: readonly ChatEvent[]): SessionState {
  const [first] = events;
  if (!first || first.seq >= state.firstSeq) return state;
  return { ...state, items: mergeItems(reduceItems(emptyItems, events), state.items), firstSeq: first.seq };
}
