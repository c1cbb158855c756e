import type { SessionId } from '../basics/id.ts';
import type { ChatEvent } from './event.ts';
import { emptyHead, type Head, reduceHead, type SessionStatus } from './head.ts';
import { emptyItems, type Items, reduceItems } from './items.ts';
import type { Channel } from './outside.ts';

/** A session's row in a list. */
export interface Session {
  readonly id: SessionId;
  readonly title: string;
  readonly agent: string;
  readonly permissionMode: string;
  readonly status: SessionStatus;
  readonly openCount: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly seq: number;
  /** Kept at hand in every list. Absent: it is not. */
  readonly pinned?: true | undefined;
  /** Put away: lists leave it out unless they are asked for it. A message brings it back. */
  readonly archived?: true | undefined;
  /** Whose outside session it is, and what its caller calls it (ASK1). */
  readonly channel?: Channel | undefined;
}

/** The fold of a log: what is unfinished, and the transcript. The server folds only the head (EVT3). */
export interface State {
  readonly head: Head;
  readonly items: Items;
}

export const emptyState: State = { head: emptyHead, items: emptyItems };

/** The one fold. `events` must be consecutive, starting after `state.head.seq`. */
export function reduce(state: State, events: readonly ChatEvent[]): State {
  return { head: events.reduce(reduceHead, state.head), items: reduceItems(state.items, events) };
}
