import {
  type Append,
  auditOf,
  authorityOf,
  type ChatEvent,
  type Instant,
  keyOf,
  type NewEvent,
  needsFreshLogin,
  reduceHead,
} from '@parleyhq/core';
import type { State } from './change.ts';
import type { Effects } from './perform-options.ts';
import { endedCalls, rowAfter } from './session-row.ts';
import { stamp } from './stamp.ts';

interface PreparedAppend {
  /** State of the session once it is stored. */
  readonly state: State;
  readonly events: readonly ChatEvent[];
  /** Each event as it is stored and sent. */
  readonly texts: readonly string[];
  readonly append: Append;
}

/** Prepares the append of a decision: its events and everything that is stored atomically with them. */
export function prepareAppend(
  before: State,
  decided: readonly NewEvent[],
  { records = [], grants = [], usedGrants = [], voters = [], credential, outsideCall, audit = [], by }: Effects,
  { now, freshLoginMs }: { readonly now: Instant; readonly freshLoginMs: number },
): PreparedAppend {
  const { id: sessionId } = before.row;
  const expectedSeq = before.head.seq;
  const events = stamp(decided, { sessionId, seq: expectedSeq, timestamp: new Date(now).toISOString() });
  const stored = events.map((event) => ({ seq: event.seq, key: keyOf(event), text: JSON.stringify(event) }));
  const head = events.reduce(reduceHead, before.head);
  const state = { head, row: rowAfter(before.row, head, events) };
  const append = {
    sessionId,
    expectedSeq,
    events: stored,
    records,
    grants,
    usedGrants: { ids: usedGrants.map(({ id }) => id), now },
    endedCalls: endedCalls(events),
    audit: [...auditOf(before.head, events, by), ...audit],
    session: state.row,
    ...(credential && {
      authority: authorityOf(credential, now, needsFreshLogin(before.head, events) ? freshLoginMs : 0),
    }),
    ...(outsideCall && { outsideCall }),
    ...(voters.length > 0 && { voters }),
  };
  return { state, events, texts: stored.map(({ text }) => text), append };
}
