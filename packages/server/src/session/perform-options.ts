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
  /** Seq of the command's first event, or of the event that it repeats. */
  readonly seq: Seq;
  readonly events: readonly ChatEvent[];
  /** Tally of a repeated vote (TEAM3). */
  readonly votes?: Tally;
}

/** Record of the value posted to a callback, with its secrets. */
export type PostedValue = Pick<JournalRecord, 'toolCallId' | 'key' | 'value'>;

export interface PerformOptions {
  readonly records?: readonly JournalRecord[];
  /** Returns the grants and records that follow from an accepted answer (APR2). */
  readonly consentOf?: (given: GivenAnswer) => Required<Pick<Effects, 'grants' | 'records'>>;
  /** Grants that the events rest on (APR4). */
  readonly usedGrants?: readonly Grant[];
  /** The actor, for the audit (SEC7). */
  readonly by?: Witness;
  /** Credential of the client: nothing is stored once it has ended (SEC9). */
  readonly credential?: Credential | undefined;
  /** Charges for what will be stored, before anything changes (SEC11). */
  readonly spend?: SpendBytes;
  /** Matches the patterns of an answer at the expense of its author (SEC11). */
  readonly matches?: Matches;
  /**
   * Whether another node has received and stored the same command: it is then refused as `retry_later` and not stored twice
   * (OPS4, FRM6).
   */
  readonly isDone?: () => boolean;
  /** Caller's key of the call that is stored (ASK1). */
  readonly outsideCall?: Append['outsideCall'];
  /** Result for the caller, if a secret was left out of the stored one (ASK5). */
  readonly unredacted?: CallResult;
  /** Value posted to a callback, if a secret was left out of the stored one (INT17). */
  readonly posted?: PostedValue | undefined;
  /** Called after the commit and before the change is published: what it registers misses nothing (INT1). */
  readonly onStored?: (events: readonly ChatEvent[]) => void;
}

/** Effects of an accepted command in addition to its events. */
export interface Effects extends PerformOptions {
  readonly grants?: readonly Grant[];
  readonly audit?: readonly AuditEntry[] | undefined;
  /** Ids of the tokens whose votes the events rest on (TEAM3). */
  readonly voters?: readonly string[];
  /** The answer with its secrets, which is passed on in memory and never stored (INT17). */
  readonly answer?: InteractionAnswer;
}

export function effectsOf(
  { given, voters = [] }: Extract<Decision, { kind: 'accepted' }>,
  { consentOf }: PerformOptions,
): Partial<Effects> {
  const resting = { voters: voters.filter((id) => id !== ownerId) }; // the server's own token cannot be revoked
  return given ? { ...resting, answer: given.answer, ...consentOf?.(given) } : resting;
}
