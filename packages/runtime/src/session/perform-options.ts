import type {
  Append,
  AuditActor,
  AuditEntry,
  CallResult,
  ChatEvent,
  Credential,
  Grant,
  InteractionAnswer,
  JournalRecord,
  Matches,
  PasskeyUse,
  Seq,
  Tally,
  Voter,
} from '@parleyhq/core';

/** Charges this many bytes to the person for whom a command is performed. @throws RefusalError `rate_limited` */
export type SpendBytes = (bytes: number) => void;

export interface Performed {
  /** Seq of the command's first event, or of the event that it repeats. */
  readonly seq: Seq;
  readonly events: readonly ChatEvent[];
  /** Tally, if the command only repeats a vote that is already stored (TEAM3). */
  readonly votes?: Tally | undefined;
}

/** Record of the value posted to a callback, with its secrets. */
export type PostedValue = Pick<JournalRecord, 'toolCallId' | 'key' | 'value'>;

export interface PerformOptions {
  readonly records?: readonly JournalRecord[];
  readonly audit?: readonly AuditEntry[] | undefined;
  /** Grants that the events rest on (APR4). */
  readonly usedGrants?: readonly Grant[];
  /** Grants that are given apart from an answer (LESS2). */
  readonly grants?: readonly Grant[];
  /** The actor, for the audit (SEC7). */
  readonly by?: AuditActor;
  /** Credential of the client: nothing is stored once it has ended (SEC9). */
  readonly credential?: Credential | undefined;
  /** The passkey that signed the answer (SIGN2). */
  readonly passkey?: PasskeyUse | undefined;
  /** Charges for what will be stored, before anything changes (SEC11). */
  readonly spend?: SpendBytes;
  /** Matches the patterns of an answer at the expense of its author (SEC11). */
  readonly matches?: Matches;
  /** Caller's key of the call that is stored (ASK1). */
  readonly outsideCall?: Append['outsideCall'];
  /** Result for the caller, if a secret was left out of the stored one (ASK5). */
  readonly unredacted?: CallResult;
  /** Value posted to a callback, if a secret was left out of the stored one (INT17). */
  readonly posted?: PostedValue | undefined;
  /** Called after the commit and before the change is published: what it registers misses nothing (INT1). */
  readonly onStored?: (events: readonly ChatEvent[]) => void;
}

/** Effects of an accepted command in addition to its events and options. */
export interface Effects {
  /** Records of the command and of its answer. */
  readonly records: readonly JournalRecord[];
  readonly grants: readonly Grant[];
  /** Ids of the tokens whose votes the events rest on (TEAM3). */
  readonly voters: readonly Voter[];
  /** The answer with its secrets, which is passed on in memory and never stored (INT17). */
  readonly answer: InteractionAnswer | undefined;
}
