import {
  type Append,
  type Authority,
  type CallKey,
  type Channel,
  type Delivery,
  type GrantNote,
  type Login,
  type Maker,
  resultKey,
  StoreError,
  type UsedGrants,
} from '@parleyhq/core';

/** Enforces EVT1. Checked before the append joins a group, so a caller's mistake cannot affect others. */
export function assertGapless({ sessionId, expectedSeq, events }: Append): void {
  const isGapless = events.every((event, index) => event.seq === expectedSeq + index + 1);
  if (!isGapless) throw new StoreError('failed', `The events do not follow ${expectedSeq} in session ${sessionId}.`);
}

export function refuseUnknown(change: Append): StoreError {
  return new StoreError('conflict', `There is no session ${change.sessionId}.`);
}

/** How what somebody is let in by stands: as needed, too long ago for what is asked, or no more. */
export type Standing = 'valid' | 'stale' | 'ended';

/** Whoever asked for a write may have been shut out since, or must show the token again (SEC9). @throws StoreError `unauthorised`, `login_again` */
export function requireValid(authority: Authority | undefined, standingOf: (authority: Authority) => Standing): void {
  const standing = authority ? standingOf(authority) : 'valid';
  if (standing === 'ended') throw new StoreError('unauthorised', 'The token or login of this command has ended.');
  if (standing === 'stale')
    throw new StoreError('login_again', 'The login of this command has not shown its token lately.');
}

/** Of a login that has not ended: its token was shown when it was made, or again since. */
export function standingOfLogin({ createdAt, provedAt = createdAt }: Login, { provedSince }: Authority): Standing {
  if (provedSince === undefined) return 'valid';
  return provedAt !== undefined && Date.parse(provedAt) >= provedSince ? 'valid' : 'stale';
}

/** What a command rests on may have been taken back since (APR4). @throws StoreError `grant_gone` */
export function requireGrants(
  used: UsedGrants | undefined,
  holds: (id: string, now: UsedGrants['now']) => boolean,
): void {
  const gone = used?.ids.find((id) => !holds(id, used.now));
  if (gone !== undefined) throw new StoreError('grant_gone', `The grant ${gone} is gone.`);
}

/**
 * A call whose result is stored neither gives nor uses a grant: it was taken for dead, and ended elsewhere (OPS4). Nobody would
 * delete what it noted (DUR3). @throws StoreError `conflict`
 */
export function requireOpenCall({ toolCallId }: GrantNote, hasKey: (key: string) => boolean): void {
  if (hasKey(resultKey(toolCallId))) throw new StoreError('conflict', `The call ${toolCallId} is over.`);
}

/** Whoever voted may have been shut out since (TEAM3). @throws StoreError `voter_gone` */
export function requireVoters(voters: readonly string[] = [], hasToken: (id: string) => boolean): void {
  const gone = voters.find((id) => !hasToken(id));
  if (gone !== undefined) throw new StoreError('voter_gone', `The token ${gone} was revoked.`);
}

/** @throws StoreError `quota` where a person has as many sessions as they may have (SEC11) */
export function requireRoom({ most, person }: Maker, count: (person: string) => number): void {
  if (most === undefined || count(person) < most) return;
  throw new StoreError('quota', `There are ${most} sessions of this person already.`);
}

export function refuseSeq(change: Append, seq: number): StoreError {
  return new StoreError('conflict', `Session ${change.sessionId} stands at ${seq}, not at ${change.expectedSeq}.`);
}

export function refuseLineage(sessionId: string): StoreError {
  return new StoreError('conflict', `What this was decided on was not stored in session ${sessionId}.`);
}

/** A repeat is answered before it comes here: this one lost a race (ASK1). @throws StoreError `conflict` */
export function requireNewCall(call: Append['outsideCall'], isTaken: (key: CallKey) => boolean): void {
  if (call && isTaken(call)) throw new StoreError('conflict', `There is a call ${call.callId} already.`);
}

export function refuseChannel({ principal, name }: Channel): StoreError {
  return new StoreError('conflict', `There is a channel ${name} of ${principal} already.`);
}

export function refuseKey(change: Append, key: string | undefined, cause?: unknown): StoreError {
  return new StoreError('conflict', `Session ${change.sessionId} has an event ${key} already.`, { cause });
}

const keptDeliveriesMs = 7 * 24 * 3_600_000;

/** What is over is kept for a week before the newest of what is stored now. In ISO 8601; the empty text comes before all times. */
export function keptDeliveriesSince(stored: readonly Delivery[]): string {
  const newest = stored
    .map(({ at }) => at)
    .sort()
    .at(-1);
  return newest === undefined ? '' : new Date(Date.parse(newest) - keptDeliveriesMs).toISOString();
}
