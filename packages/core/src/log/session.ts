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
  /** Set if lists show it at the top. */
  readonly pinned?: true | undefined;
  /** Set if lists leave it out by default. A message unarchives it. */
  readonly archived?: true | undefined;
  /** For an outside session: its owner and the caller's name for it (ASK1). */
  readonly channel?: Channel | undefined;
}

/** The fold of a log: unfinished work, and the transcript. The server folds only the head (EVT3). */
export interface State {
  readonly head: Head;
  readonly items: Items;
}

export const emptyState: State = { head: emptyHead, items: emptyItems };

/** Folds events into the state. They must be consecutive, starting after `state.head.seq`. */
export function reduce(state: State, events: readonly ChatEvent[]): State {
  return { head: events.reduce(reduceHead, state.head), items: reduceItems(state.items, events) };
}
