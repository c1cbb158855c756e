import type { Instant, Seq, SessionId } from '../basics/id.ts';
import type { Json } from '../basics/json.ts';
import type { Session } from '../log/session.ts';

/**
 * What some node stored: events of a session up to `seq`, or that a session came or went. Of grants, those of one session or of
 * all, and of devices it is said that they changed, by another node than this.
 */
export type SharedNews =
  | { readonly what: 'changed'; readonly sessionId: SessionId; readonly seq: Seq }
  | { readonly what: 'created' | 'deleted'; readonly session: Session }
  | { readonly what: 'grants'; readonly sessionId?: SessionId }
  | { readonly what: 'devices' };

/** A node that lives, and what it says of itself to the others. */
export interface LivingNode {
  readonly id: string;
  readonly details: Json;
}

/** What several nodes on one database need of it beside the data (OPS4). */
export interface SharedStore {
  /**
   * Resolves once the database is another than the one that was opened, since it was restored or a standby took its place.
   * Nothing is stored any more; whoever opens it again finds a new epoch (RPL2).
   */
  readonly replaced: Promise<void>;
  /**
   * Tells what is stored from now on, by this node or others: each at least once, those of a session in order. Nothing is
   * missed, whatever becomes of the connection; `onFault` hears why news is late. Resolves once it has begun.
   */
  follow(onNews: (news: readonly SharedNews[]) => void, onFault: (error: unknown) => void): Promise<void>;
  /** This node lives for `leaseMs` more, by the clock of the database. @returns all that live, those first that have done so longest without a pause */
  renew(node: LivingNode, leaseMs: number): Promise<readonly LivingNode[]>;
  /** What time it is by the clock of the database, which all nodes have in common: their own may differ. */
  readClock(): Promise<Instant>;
  /** This node has ended: whoever waits for its lease need not. */
  leave(id: string): Promise<void>;
}
