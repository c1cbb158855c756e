import {
  type CallResult,
  comparePrompts,
  type Grant,
  type Head,
  type HeadChange,
  type InteractionAnswer,
  type Session,
  type SessionId,
} from '@parleyhq/core';
import type { Visibility } from '../tabs/visibility.ts';
import type { Effects, PerformOptions, PostedValue } from './perform-options.ts';

/** The session that changed, as followers see it. */
export interface ChangedSession {
  readonly visibility: Pick<Visibility, 'hides' | 'isEmpty'>;
  /** Wakes whatever waits on the session: turns, calls, hooks of late answers. */
  wake(change: Change): void;
  /** Sends the events to the tabs that follow the session. */
  broadcast(change: Change): void;
}

/** One commit of one session, or its loading after a start; published once, after it is stored (EVT2). */
export interface Change extends HeadChange {
  readonly session: ChangedSession;
  readonly row: { readonly before: Session; readonly after: Session };
  /** Each event as it is stored and sent. */
  readonly texts: readonly string[];
  /** Answer that settled a prompt, with its secrets, which are never stored (INT17). Undefined for denials of several prompts (REV5). */
  readonly answer?: InteractionAnswer | undefined;
  /** Result of a call as its handler returned it, if a secret was left out of the stored one (ASK5). */
  readonly unredacted?: CallResult | undefined;
  /** Value posted to a callback, if a secret was left out of the stored one (INT17). */
  readonly posted?: PostedValue | undefined;
  /** Grants given by this commit; `usedGrants` are those it used. */
  readonly grants: readonly Grant[];
  readonly usedGrants: readonly Grant[];
  /** Whether it was stored before this process began: `before` is empty then and there are no events. */
  readonly isRecovered: boolean;
  /** Whether another node stored it: its answer then has no secrets (OPS4). */
  readonly isForeign: boolean;
}

/** State of a session after its events. */
export interface State {
  readonly head: Head;
  readonly row: Session;
}

/** What a change publishes besides the states before and after it. */
export type News = Pick<Change, 'events' | 'texts' | 'isRecovered' | 'isForeign'> & Pick<Effects, 'grants' | 'answer'>;

export function makeChange(
  session: ChangedSession & { readonly id: SessionId },
  before: State,
  after: State,
  { events, texts, isRecovered, isForeign, grants, answer }: News,
  { unredacted, posted, usedGrants = [] }: PerformOptions,
): Change {
  return {
    session,
    sessionId: session.id,
    before: before.head,
    after: after.head,
    prompts: comparePrompts(before.head, after.head),
    row: { before: before.row, after: after.row },
    events,
    texts,
    answer,
    unredacted,
    posted,
    grants,
    usedGrants,
    isRecovered,
    isForeign,
  };
}

export type Follower = (change: Change) => void;
