import type { Instant, SessionId, ToolCallId } from '../basics/id.ts';
import type { Grant, GrantChoice, GrantWish, Revoker } from '../prompt/grant.ts';
import type { Authority } from '../prompt/token.ts';

/**
 * The journal record in which a call notes what it did with a grant, in the same commit. Its value is the grant's scope. A
 * re-entered call finds it and does not do it twice. A call whose `tool_result` is stored does neither: `conflict`.
 */
export interface GrantNote {
  readonly sessionId: SessionId;
  readonly toolCallId: ToolCallId;
  readonly key: string;
}

/** Selects the grants that apply in a session, those that cover a key there, or the newest `limit` of them; all by default. */
export interface GrantFilter extends Partial<GrantWish> {
  readonly limit?: number;
  /** Only those of rules. With `plugin` this is an index lookup. */
  readonly isRule?: true;
}

/** One grant to take back: for whom, and by what that is let in, which must be valid in the same transaction (SEC9). */
export interface Revocation {
  readonly id: string;
  readonly by?: Revoker;
  readonly authority?: Authority;
}

export interface GrantStore {
  /** @throws StoreError `unauthorised` where what its giver is let in by has ended (SEC9), `conflict` where the call of its note is over */
  put(grant: Grant, note?: GrantNote, authority?: Authority): Promise<void>;
  /** The grant that covers the key here, among those chosen: `once` first, then `session`, then `always`. Counts a use; a `once` grant is consumed. @throws StoreError `conflict` as `put` */
  take(wish: GrantChoice, now: Instant, note?: GrantNote): Promise<Grant | undefined>;
  /** Unexpired grants, oldest first. With `plugin` and `key` this is an index lookup. */
  list(now: Instant, filter?: GrantFilter): Promise<readonly Grant[]>;
  /** One by id, or all of a plugin's in a session. Returns how many were revoked. @throws StoreError `unauthorised` */
  revoke(which: Revocation | { plugin: string; sessionId: SessionId }): Promise<number>;
}
