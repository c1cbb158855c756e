import {
  type Append,
  auditOf,
  authorityOf,
  type ChatEvent,
  type Instant,
  type JournalRecord,
  keyOf,
  type NewEvent,
  needsFreshLogin,
  reduceHead,
} from '@parleyhq/core';
import type { State } from './change.ts';
import type { Effects, PerformOptions } from './perform-options.ts';
import { endedCalls, rowAfter } from './session-row.ts';
import { stamp } from './stamp.ts';

export interface PreparedAppend {
  /** State of the session once it is stored. */
  readonly state: State;
  readonly events: readonly ChatEvent[];
  /** Each event as it is stored and sent. */
  readonly texts: readonly string[];
  readonly append: Append;
}

interface AppendFacts {
  readonly now: Instant;
  readonly freshLoginMs: number;
  readonly lineage: object;
  /** Marks of ended waits: see `unacknowledgedRecords`. */
  readonly unacknowledged: readonly JournalRecord[];
}

/** Whether an event is an answer or a vote that a passkey signed (SIGN2). */
function isSigned({ type, payload }: ChatEvent): boolean {
  return (type === 'interaction_response' || type === 'interaction_vote') && payload.assertion !== undefined;
}

/** Prepares the append of a decision: its events and everything that is stored atomically with them. */
export function prepareAppend(
  before: State,
  decided: readonly NewEvent[],
  { usedGrants = [], credential, passkey, outsideCall, audit = [], by }: PerformOptions,
  { records, grants, voters }: Effects,
  { now, freshLoginMs, lineage, unacknowledged }: AppendFacts,
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
    lineage, // mutant: lineage
    events: stored,
    records: [...records, ...unacknowledged],
    grants,
    usedGrants: { ids: usedGrants.map(({ id }) => id), now },
    endedCalls: endedCalls(events),
    audit: [...auditOf(before.head, events, by), ...audit],
    session: state.row,
    authority: credential && authorityOf(credential, now, needsFreshLogin(before.head, events) ? freshLoginMs : 0),
    outsideCall,
    voters,
    ...(events.some(isSigned) && { passkey }), // mutant: passkey
  };
  return { state, events, texts: stored.map(({ text }) => text), append };
}
