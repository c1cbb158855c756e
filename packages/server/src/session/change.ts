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
import type { Logger } from 'pino';
import type { Visibility } from '../tabs/visibility.ts';
import type { Effects, PostedValue } from './perform-options.ts';

/** The session that changed, as far as followers reach it. */
export interface ChangedSession {
  readonly visibility: Pick<Visibility, 'hides'>;
  /** Lets those who wait on the session go on: turns, calls, hooks of late answers. */
  wake(change: Change): void;
  /** Sends the events to the tabs that follow the session. */
  tell(change: Change): void;
}

/** One commit of one session, or its loading after a start; published once, after it is stored (EVT2). */
export interface Change extends HeadChange {
  readonly session: ChangedSession;
  readonly row: { readonly before: Session; readonly after: Session };
  /** Each event as it is stored and sent. */
  readonly texts: readonly string[];
  /** The answer that settled a prompt, with its secrets, which are never stored (INT17). */
  readonly answer?: InteractionAnswer | undefined;
  /** The result of a call as its handler gave it, where what is stored leaves a secret out (ASK5). */
  readonly unredacted?: CallResult | undefined;
  /** What came for a callback, where what is stored leaves a secret out (INT17). */
  readonly posted?: PostedValue | undefined;
  /** Grants that this commit gave or used. */
  readonly grants: readonly Grant[];
  readonly usedGrants: readonly Grant[];
  /** It stood in the store before this process began: `before` is empty and there are no events. */
  readonly isRecovered: boolean;
  /** Another node stored it: an answer in it has no secrets (OPS4). */
  readonly isForeign: boolean;
}

/** A session as its events leave it. */
export interface State {
  readonly head: Head;
  readonly row: Session;
}

export type CommittedEvents = Pick<Change, 'events' | 'texts' | 'isRecovered'> & Partial<Pick<Change, 'isForeign'>>;

export function makeChange(
  session: ChangedSession & { readonly id: SessionId },
  before: State,
  after: State,
  news: Partial<Effects> & CommittedEvents,
): Change {
  const {
    events,
    texts,
    isRecovered,
    isForeign = false,
    answer,
    unredacted,
    posted,
    grants = [],
    usedGrants = [],
  } = news;
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

/**
 * Tells every follower, in the order of the list. One that fails is logged and keeps no other from hearing: the change is
 * stored, whatever becomes of the news of it.
 */
export function publishTo(followers: readonly Follower[], log: Logger): Follower {
  return (change) => {
    for (const follow of followers) {
      try {
        follow(change);
      } catch (error) {
        log.error({ sessionId: change.sessionId, error }, 'a stored change could not be passed on');
      }
    }
  };
}
