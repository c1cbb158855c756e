import {
  type ChatEvent,
  type Epoch,
  emptyHead,
  emptyItems,
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

/** A session as a tab knows it. */
export interface SessionState {
  /** `behind`: shown, while the line is down or the log is being caught up with; `gone`: deleted, or never here. */
  readonly phase: 'loading' | 'behind' | 'live' | 'gone';
  readonly session: Session | undefined;
  readonly epoch: Epoch | undefined;
  readonly head: Head;
  readonly items: Items;
  readonly streams: readonly Stream[];
  /** Where the unbroken piece of log that ends in `lastSeq` begins; 0 while nothing came. */
  readonly firstSeq: Seq;
  readonly lastSeq: Seq;
  /** What the last snapshot was of: its head and streams already hold every event up to here. */
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

/** Whether pages before the first event are still on the server. */
export function hasEarlier(state: SessionState): boolean {
  return state.firstSeq > 1;
}

/** The state after one more frame of this session. Pure; a reconnect at any point folds to the same (RPL1). */
export function foldSession(state: SessionState, frame: ServerFrame): SessionState {
  switch (frame.type) {
    case 'reset':
      return { ...emptySessionState, session: state.session, epoch: frame.epoch };
    case 'snapshot': {
      const { session, epoch, head, seq, streams } = frame;
      const base = state.epoch === undefined || state.epoch === epoch ? state : emptySessionState;
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
    if (event.seq > lastSeq + 1 || firstSeq === 0) firstSeq = event.seq; // a tail jumps over what it leaves out (RPL4)
    lastSeq = Math.max(lastSeq, event.seq);
    if (event.seq <= head.seq) continue;
    head = reduceHead(head, event);
    streams = endStreams(streams, event);
  }
  return { ...state, items: reduceItems(state.items, events), head, streams, firstSeq, lastSeq };
}

/** A page of `read_events` before `state.firstSeq` joins what is there. */
export function addEarlierEvents(state: SessionState, events: readonly ChatEvent[]): SessionState {
  const [first] = events;
  if (!first || first.seq >= state.firstSeq) return state;
  return { ...state, items: mergeItems(reduceItems(emptyItems, events), state.items), firstSeq: first.seq };
}
