import {
  type Append,
  type AuditEntry,
  type CallResult,
  type ChatEvent,
  type Credential,
  type Decision,
  type GivenAnswer,
  type Grant,
  type InteractionAnswer,
  type JournalRecord,
  type Matches,
  ownerId,
  type Seq,
  type Tally,
  type Witness,
} from '@parleyhq/core';
import type { SpendBytes } from '../auth/quota-book.ts';

export interface Performed {
  /** Of the command's first event, or of the one that a repeat names. */
  readonly seq: Seq;
  readonly events: readonly ChatEvent[];
  /** Of a repeated vote: its count (TEAM3). */
  readonly votes?: Tally;
}

/** A record of what came for a callback, as it came. */
export type PostedValue = Pick<JournalRecord, 'toolCallId' | 'key' | 'value'>;

export interface PerformOptions {
  readonly records?: readonly JournalRecord[];
  /** The consent that an accepted answer gives, and what is noted of it (APR2). */
  readonly consentOf?: (given: GivenAnswer) => Required<Pick<Effects, 'grants' | 'records'>>;
  /** Grants that the events rest on (APR4). */
  readonly usedGrants?: readonly Grant[];
  /** Whose doing it is, for the audit (SEC7). */
  readonly by?: Witness;
  /** What lets its client in: nothing is stored once that has ended (SEC9). */
  readonly credential?: Credential | undefined;
  /** Pays for what is stored, before anything changes (SEC11). */
  readonly spend?: SpendBytes;
  /** Matches the patterns of an answer at its author's expense (SEC11). */
  readonly matches?: Matches;
  /** Another node was told the same, and stored it: it is refused as `retry_later` instead of being stored twice (OPS4, FRM6). */
  readonly isDone?: () => boolean;
  /** The caller's key of the call that is stored (ASK1). */
  readonly outsideCall?: Append['outsideCall'];
  /** What is stored of a call's result leaves a secret out; its caller gets this (ASK5). */
  readonly unredacted?: CallResult;
  /** What came for a callback, where what is stored leaves a secret out (INT17). */
  readonly posted?: PostedValue | undefined;
  /** Runs after the commit and before the change is published: what it arms misses nothing (INT1). */
  readonly onStored?: (events: readonly ChatEvent[]) => void;
}

/** What follows from an accepted command besides its events. */
export interface Effects extends PerformOptions {
  readonly grants?: readonly Grant[];
  readonly audit?: readonly AuditEntry[] | undefined;
  /** The tokens of those whose votes the events rest on (TEAM3). */
  readonly voters?: readonly string[];
  /** The answer with its secrets, which travels beside the log and never in it (INT17). */
  readonly answer?: InteractionAnswer;
}

export function effectsOf(
  { given, voters = [] }: Extract<Decision, { kind: 'accepted' }>,
  { consentOf }: PerformOptions,
): Partial<Effects> {
  const resting = { voters: voters.filter((id) => id !== ownerId) }; // the server's own token ends with the server alone
  return given ? { ...resting, answer: given.answer, ...consentOf?.(given) } : resting;
}
