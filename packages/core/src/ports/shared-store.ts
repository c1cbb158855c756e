import type { Instant, Seq, SessionId } from '../basics/id.ts';
import type { Json } from '../basics/json.ts';
import type { Session } from '../log/session.ts';

/**
 * A change that some node stored: events of a session up to `seq`, or that a session was created or deleted. Changes of grants
 * (in one session or in all) and of devices are reported only if another node made them.
 */
export type StoreChange =
  | { readonly what: 'changed'; readonly sessionId: SessionId; readonly seq: Seq }
  | { readonly what: 'created' | 'deleted'; readonly session: Session }
  | { readonly what: 'grants'; readonly sessionId?: SessionId }
  | { readonly what: 'devices' };

/** A node with a valid lease, and the details that it shares with the others. */
export interface LeasedNode {
  readonly id: string;
  readonly details: Json;
}

/** What several nodes on one database need in addition to the data (OPS4). */
export interface SharedStore {
  /**
   * Resolves once the database is no longer the one that was opened, because it was restored or a standby took over.
   * Nothing is stored any more; reopening it yields a new epoch (RPL2).
   */
  readonly replaced: Promise<void>;
  /**
   * Reports what this and other nodes store from now on: each change at least once, those of a session in order. No change is
   * missed, even if the connection breaks; `onFault` receives the reason for a delay. Resolves once it is active.
   */
  follow(onNews: (news: readonly StoreChange[]) => void, onFault: (error: unknown) => void): Promise<void>;
  /**
   * Renews this node's lease for `leaseMs`, by the database's clock. @returns all nodes with a lease, those first that have held
   * theirs longest without a gap
   */
  renew(node: LeasedNode, leaseMs: number): Promise<readonly LeasedNode[]>;
  /** Reads the database's clock, which all nodes share: their own clocks may differ. */
  readClock(): Promise<Instant>;
  /** Ends this node's lease, so that others need not wait for it to expire. */
  leave(id: string): Promise<void>;
}
