import type { Instant } from '../basics/id.ts';
import type { Authority } from '../prompt/token.ts';

/** Limit of passkeys that one person may have. */
export const maxPasskeys = 20;

/** The ways in which a browser can reach an authenticator. */
export const passkeyTransports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;

/** A passkey of a person: the public half of a key that only their authenticator has (SIGN2). */
export interface Passkey {
  /** Parley's own id, under which people rename and remove it. */
  readonly id: string;
  /** The person it belongs to: see `ownerOf`. */
  readonly person: string;
  /** The authenticator's id of it, in base64url; unique. */
  readonly credentialId: string;
  /** The public key as COSE, in base64url. */
  readonly publicKey: string;
  /** Name that the person gave it. */
  readonly name: string;
  /** Origin of the page on which it was added; it signs only for pages of that origin. */
  readonly origin: string;
  /** Number of signatures by the authenticator's own count; always 0 if it does not count. */
  readonly counter: number;
  readonly createdAt: string;
  readonly lastUsedAt?: string;
  /** How a browser reaches the authenticator, as it said when the passkey was added. */
  readonly transports?: readonly (typeof passkeyTransports)[number][];
}

/**
 * A verified signature by a passkey. A write that carries one is stored only if the person still has the passkey and its counter
 * has moved on, or always was 0; the same write updates the counter.
 */
export interface PasskeyUse {
  readonly credentialId: string;
  readonly person: string;
  readonly counter: number;
  readonly now: Instant;
}

/** What a change of a person's passkeys rests on. */
export interface PasskeyChange {
  readonly authority: Authority;
  /** Signature by a passkey that the person already has; absent if they have none. */
  readonly use?: PasskeyUse | undefined;
}

/** Passkeys of people. Other processes may add and remove some at any time. */
export interface PasskeyStore {
  /**
   * Adds a passkey.
   * @throws StoreError `unauthorised`, `login_again`, `passkey_gone` if the person has others and none signed, `conflict` if there
   * is one with this credential id, `quota` if the person has `maxPasskeys`
   */
  add(passkey: Passkey, change: PasskeyChange): Promise<void>;
  find(credentialId: string): Promise<Passkey | undefined>;
  /** Returns a person's passkeys, or all, oldest first. */
  list(person?: string): Promise<readonly Passkey[]>;
  /** Returns whether the person has such a passkey. */
  rename(which: Pick<Passkey, 'id' | 'person'>, name: string, authority: Authority): Promise<boolean>;
  /**
   * Removes a person's own passkey, and the grants that a passkey of theirs signed. Returns whether it existed.
   * @throws StoreError as `add`
   */
  remove(which: Pick<Passkey, 'id' | 'person'>, change: PasskeyChange): Promise<boolean>;
  /** Removes a passkey, and such grants, for the operator of the server, who needs none. Returns whether it existed. */
  revoke(id: string): Promise<boolean>;
}
