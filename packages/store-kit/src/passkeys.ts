import { type Grant, maxPasskeys, type Passkey, type PasskeyUse, personOf, StoreError } from '@parleyhq/core';

/** A passkey's row in the table. */
export interface PasskeyRow {
  readonly id: string;
  readonly person: string;
  readonly credential_id: string;
  readonly counter: number;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly details: string;
}

export function toPasskey({ id, person, counter, details, ...row }: PasskeyRow): Passkey {
  return {
    ...{ id, person, credentialId: row.credential_id, counter: Number(counter), createdAt: row.created_at },
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
    ...JSON.parse(details),
  };
}

/** Returns the members of a passkey that have no column. */
export function detailsOfPasskey({ publicKey, name, origin, transports }: Passkey): string {
  return JSON.stringify({ publicKey, name, origin, transports });
}

/**
 * Checks that the person still has the passkey, and that its counter moves on: a smaller or equal one is that of a copy or a replay.
 * @throws StoreError `passkey_gone`
 */
export function requirePasskey(use: PasskeyUse, stored: Pick<PasskeyRow, 'person' | 'counter'> | undefined): void {
  const counter = Number(stored?.counter);
  const isMoved = use.counter > counter || (use.counter === 0 && counter === 0);
  if (stored?.person !== use.person || !isMoved)
    throw new StoreError('passkey_gone', 'The passkey was removed, or its counter has not moved on.');
}

/** Returns the person of a grant that a passkey signed, with which it ends; undefined for others. */
export function signerOf({ by, isSigned }: Pick<Grant, 'by' | 'isSigned'>): string | undefined {
  return isSigned && by && personOf(by);
}

/** Checks that a grant's giver still has the passkey that signed it. @throws StoreError `passkey_gone` */
export function requireSigner(grant: Grant, passkey: Pick<PasskeyRow, 'person'> | undefined): void {
  if (passkey?.person !== signerOf(grant))
    throw new StoreError('passkey_gone', 'The passkey that signed this was removed.');
}

/** Checks that whoever has passkeys signed the change with one of them. @throws StoreError `passkey_gone` */
export function requireSigned(use: PasskeyUse | undefined, person: string, count: number): void {
  if (count > 0 && use?.person !== person)
    throw new StoreError('passkey_gone', 'No passkey that the person has signed this change.');
}

/** @throws StoreError `quota` */
export function requirePasskeyRoom(count: number): void {
  if (count >= maxPasskeys) throw new StoreError('quota', `There are ${maxPasskeys} passkeys of this person already.`);
}

export function refuseCredential(cause?: unknown): StoreError {
  return new StoreError('conflict', 'This passkey was added before.', { cause });
}
