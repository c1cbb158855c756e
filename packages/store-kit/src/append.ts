import {
  type Append,
  type Authority,
  type CallKey,
  type Channel,
  type Delivery,
  type GrantNote,
  type Login,
  livesOn,
  resultKey,
  type SessionOwner,
  StoreError,
  type UsedGrants,
  type Voter,
} from '@parleyhq/core';

/** Enforces EVT1. Checked before anything of the append is written, so a caller's mistake cannot affect others. */
export function assertGapless({ sessionId, expectedSeq, events }: Append): void {
  const isGapless = events.every((event, index) => event.seq === expectedSeq + index + 1);
  if (!isGapless)
    throw new StoreError('failed', `The events do not continue session ${sessionId} after seq ${expectedSeq}.`);
}

export function refuseUnknown(change: Append): StoreError {
  return new StoreError('conflict', `There is no session ${change.sessionId}.`);
}

/** State of a credential: valid, not shown recently enough for the command, or ended. */
export type Standing = 'valid' | 'stale' | 'ended';

/**
 * Checks the credential behind a write: it may have ended since, or must be shown again (SEC9).
 * @throws StoreError `unauthorised`, `login_again`
 */
export function requireValid(authority: Authority | undefined, standingOf: (authority: Authority) => Standing): void {
  const standing = authority ? standingOf(authority) : 'valid';
  if (standing === 'ended') throw new StoreError('unauthorised', 'The token or login of this command has ended.');
  if (standing === 'stale')
    throw new StoreError('login_again', 'The login of this command has not shown its token lately.');
}

/** Returns the state of a login that has not ended, by when its token was last shown. */
export function standingOfLogin({ createdAt, provedAt = createdAt }: Login, { provedSince }: Authority): Standing {
  if (provedSince === undefined) return 'valid';
  return provedAt !== undefined && Date.parse(provedAt) >= provedSince ? 'valid' : 'stale';
}

/** @throws StoreError `unauthorised` if the token with which somebody logs in was revoked meanwhile */
export function requireTokenOf({ tokenId }: Pick<Login, 'tokenId'>, isStored: boolean): void {
  if (tokenId === undefined || isStored) return;
  throw new StoreError('unauthorised', 'The token of this login was revoked meanwhile.');
}

/** Checks that the grants a command rests on have not been revoked (APR4). @throws StoreError `grant_gone` */
export function requireGrants(
  used: UsedGrants | undefined,
  holds: (id: string, now: UsedGrants['now']) => boolean,
): void {
  const gone = used?.ids.find((id) => !holds(id, used.now));
  if (gone !== undefined) throw new StoreError('grant_gone', `The grant ${gone} is no longer valid.`);
}

/**
 * Refuses grants to a call whose result is stored: it was presumed dead and ended by another process, and nothing would delete its
 * notes (DUR3).
 * @throws StoreError `conflict`
 */
export function requireOpenCall({ toolCallId }: GrantNote, hasKey: (key: string) => boolean): void {
  if (hasKey(resultKey(toolCallId))) throw new StoreError('conflict', `The call ${toolCallId} is over.`);
}

/**
 * Checks that the tokens of the voters have not been revoked since they voted (TEAM3).
 * @param createdAt - returns when the token with an id was created; undefined if there is none
 * @throws StoreError `voter_gone`
 */
export function requireVoters(voters: readonly Voter[] = [], createdAt: (id: string) => string | undefined): void {
  const gone = voters.find((voter) => !livesOn(voter.votedAt, createdAt(voter.id)));
  if (gone) throw new StoreError('voter_gone', `The token ${gone.id} was revoked.`);
}

/** @throws StoreError `quota` if a person has as many sessions as they may have (SEC11) */
export function requireRoom({ most, person }: SessionOwner, count: (person: string) => number): void {
  if (most === undefined || count(person) < most) return;
  throw new StoreError('quota', `There are ${most} sessions of this person already.`);
}

export function refuseSeq(change: Append, seq: number): StoreError {
  return new StoreError('conflict', `Session ${change.sessionId} is at seq ${seq}, not ${change.expectedSeq}.`);
}

export function refuseLineage(sessionId: string): StoreError {
  return new StoreError('conflict', `The events that this append follows were not stored in session ${sessionId}.`);
}

/**
 * Refuses a call whose key is taken: repeats are answered earlier, so this one lost a race (ASK1).
 * @throws StoreError `conflict`
 */
export function requireNewCall(call: Append['outsideCall'], isTaken: (key: CallKey) => boolean): void {
  if (call && isTaken(call)) throw new StoreError('conflict', `There is a call ${call.callId} already.`);
}

export function refuseChannel({ principal, name }: Channel): StoreError {
  return new StoreError('conflict', `There is a channel ${name} of ${principal} already.`);
}

export function refuseKey(change: Append, key: string | undefined, cause?: unknown): StoreError {
  return new StoreError('conflict', `Session ${change.sessionId} has an event ${key} already.`, { cause });
}

/** Whether a delivery outlives its session: its message would keep its buttons otherwise (CHAT1). */
export function outlivesSession({ state, message }: Delivery): boolean {
  return (state === 'sent' || state === 'due') && message !== undefined;
}

/** Session key of the deliveries that outlived their sessions: keys of sessions begin with 1, and may be used again. */
export const deletedSession = 0;

/** Returns the prompt of a delivery that outlived its session, as its row names it: ids of prompts are unique in a session only. */
export function promptOfDeleted({ sessionId, interactionId }: Delivery): string {
  return `${sessionId} ${interactionId}`;
}

const keptDeliveriesMs = 7 * 24 * 3_600_000;

/**
 * Returns the time since when finished deliveries are kept: a week before the newest one stored now, in ISO 8601. Without any it
 * is empty, which sorts before all times.
 */
export function keptDeliveriesSince(stored: readonly Delivery[]): string {
  const newest = stored
    .map(({ at }) => at)
    .sort()
    .at(-1);
  return newest === undefined ? '' : new Date(Date.parse(newest) - keptDeliveriesMs).toISOString();
}
