import type { Instant, SessionId, ToolCallId } from '../basics/id.ts';
import type { Grant, GrantChoice, GrantWish, Revoker } from '../prompt/grant.ts';
import type { Authority } from '../prompt/token.ts';

/**
 * Key of the journal record that notes what a call did with a grant, written in the same commit. Its value is the grant's scope.
 * A re-entered call finds the record and does not repeat the step. Once the call's `tool_result` is stored, the write is a
 * `conflict`.
 */
export interface GrantNote {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly key: string;
}

/** Selects the grants that apply in a session, those that cover a key there, or the newest `limit` of them; all by default. */
export interface GrantFilter extends Partial<GrantWish> {
  readonly limit?: number;
  /** Only grants of rules. With `plugin` this is an index lookup. */
  readonly isRule?: true;
}

/** A grant to revoke, and the revoker with their credential, which must be valid in the same transaction (SEC9). */
export interface Revocation {
  readonly id: string;
  readonly by?: Revoker;
  readonly authority?: Authority;
}

/** What the consent to a grant rests on: each must be valid in the transaction that stores it. */
export interface GivenBy extends Authority {
  /** Credential id of the giver's passkey that signed it (SIGN2). */
  readonly passkey?: string | undefined;
}

export interface GrantStore {
  /**
   * @throws StoreError `unauthorised` if the giver's credential has ended (SEC9), `passkey_gone` if the person no longer has the
   * passkey, `conflict` if the call of `note` has ended
   */
  put(grant: Grant, note?: GrantNote, given?: GivenBy): Promise<void>;
  /**
   * Takes the grant that covers the key here, among those chosen: `once` first, then `session`, then `always`. Counts a use; a
   * `once` grant is consumed. @throws StoreError `conflict` like `put`
   */
  take(wish: GrantChoice, now: Instant, note?: GrantNote): Promise<Grant | undefined>;
  /** Returns unexpired grants, oldest first. With `plugin` and `key` this is an index lookup. */
  list(now: Instant, filter?: GrantFilter): Promise<readonly Grant[]>;
  /** Revokes one by id, or all of a plugin's in a session. Returns how many. @throws StoreError `unauthorised` */
  revoke(which: Revocation | { plugin: string; sessionId: SessionId }): Promise<number>;
}
