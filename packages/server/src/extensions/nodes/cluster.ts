import type { Json, LeasedNode, SharedStore, StoreChange } from '@parleyhq/core';
import type { SessionRuntime } from '@parleyhq/runtime';
import type { Logger } from 'pino';
import type { CommonClock } from './common-clock.ts';
import type { Membership } from './membership.ts';

/** In ms: how long a node counts as alive after a renewal, and how often it renews. */
const leaseMs = 15_000;
const renewMs = 1000;

/** Number of renewals between two reads of the common clock. */
const beatsBetweenLooks = 30;

export interface ClusterOptions {
  readonly shared: SharedStore;
  readonly nodeId: string;
  /** Clock shared by all nodes. */
  readonly clock: CommonClock;
  /**
   * Link for messages that are never stored. It listens before it greets, because the other nodes reply to a greeting with their
   * state.
   */
  readonly link: { open(): Promise<void>; greet(): void; reconcile(): void; leave(): void };
  /** Every session in memory. */
  readonly loaded: () => readonly Promise<SessionRuntime>[];
  /** Receives changes that this node or another one stored. */
  readonly onStoreChange: (news: StoreChange) => Promise<void>;
  /** Takes over the work of a session whose node has died. */
  readonly takeOver: (session: SessionRuntime) => Promise<void>;
  /** Returns what this node publishes about itself. */
  readonly describe: () => Json;
  /**
   * Receives what the others publish about themselves, and whether this node is the leader, which does what only one node may do.
   */
  readonly onNodes: (others: readonly LeasedNode[], isFirst: boolean) => void;
  readonly log: Logger;
}

/** Membership of this node among others on one database: it follows their changes and takes over from dead nodes (OPS4). */
export class Cluster implements Membership {
  readonly #options: ClusterOptions;
  #timer: NodeJS.Timeout | undefined;
  /** Changes that could not be applied because the database was unavailable. */
  #missed: StoreChange[] = [];
  #hasStopped = false;
  /** When this node's lease ends, by `performance.now()`. */
  #livesUntil = 0;
  #beats = 0;
  #isFirst = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  /** Whether this node's lease is valid. It is not after a long pause of the process, when other nodes may consider it dead. */
  get isAlive(): boolean {
    return performance.now() < this.#livesUntil;
  }

  /** Whether this node is the leader, which does what only one node may do. */
  get isLeader(): boolean {
    return this.#isFirst && this.isAlive;
  }

  /** Announces this node to the others and starts to follow their changes; none is missed from now on. */
  async start(): Promise<void> {
    const { shared, link, log } = this.#options;
    const onFault = (error: unknown) => log.warn({ error }, 'notifications of other nodes are delayed');
    await link.open();
    await this.#renew();
    await shared.follow((news) => this.#takeOver(news), onFault);
    this.#beat();
  }

  /** Applies changes. A failed one is retried with the next beat, because it is not announced twice. */
  #takeOver(news: readonly StoreChange[]): void {
    const { onStoreChange: hear, log } = this.#options;
    for (const each of news)
      hear(each).catch((error: unknown) => {
        log.warn({ error }, 'a change of another node could not be applied: trying again');
        this.#missed.push(each); // mutant: unheard
      });
  }

  /** Joins in once all unfinished work is in memory. */
  async join(): Promise<void> {
    this.#options.link.greet();
    await this.look();
  }

  /**
   * Takes over the work of dead nodes. The owners are read before the leases: a node renews its lease before it begins a turn, so
   * an owner without a lease is dead.
   */
  async look(): Promise<void> {
    const { loaded, takeOver, nodeId, log } = this.#options;
    const sessions = await Promise.all(loaded());
    const owned = sessions.flatMap((each) => {
      const owner = each.session.head.turn?.owner;
      return owner === undefined || owner === nodeId ? [] : [{ each, owner }];
    });
    const living = await this.#renew();
    if (this.#hasStopped) return; // without a lease it sees nobody
    for (const { each, owner } of owned) {
      const { session } = each;
      // its node was paused, not dead
      if (living.has(owner) && session.head.turn?.owner === owner && session.isOwned) each.turns.giveBack();
    }
    const left = owned.filter(
      // otherwise it was taken over before
      ({ each: { session }, owner }) => !living.has(owner) && session.head.turn?.owner === owner && !session.isOwned,
    );
    for (const { each, owner } of left) {
      log.warn(
        { sessionId: each.session.id, owner },
        'a node has ended: its turn continues here once something needs it, unless another node takes it first',
      );
      await takeOver(each);
    }
  }

  async stop(): Promise<void> {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
    const { shared, nodeId, link, log } = this.#options;
    await shared
      .leave(nodeId)
      .then(() => link.leave())
      .catch((error: unknown) => log.warn({ error }, 'the lease of this node could not be released: it will expire'));
  }

  #beat(): void {
    if (this.#hasStopped) return;
    this.#timer = setTimeout(() => {
      this.#takeOver(this.#missed.splice(0));
      this.look()
        .catch((error: unknown) => this.#options.log.warn({ error }, 'the lease of this node could not be renewed'))
        .finally(() => this.#beat());
    }, renewMs).unref();
  }

  async #renew(): Promise<ReadonlySet<string>> {
    const { shared, nodeId, clock, describe, onNodes } = this.#options;
    if (this.#beats % beatsBetweenLooks === 0) await clock.follow(() => shared.readClock());
    this.#beats += 1;
    const begun = performance.now();
    const living = await shared.renew({ id: nodeId, details: describe() }, leaseMs);
    if (this.#hasStopped) return new Set();
    const hadEnded = !this.isAlive;
    this.#livesUntil = begun + leaseMs;
    const ids = living.map(({ id }) => id);
    const others = living.filter(({ id }) => id !== nodeId);
    this.#isFirst = ids[0] === nodeId;
    if (hadEnded) onNodes(others, false); // another node may have been the leader meanwhile
    onNodes(others, this.#isFirst);
    if (hadEnded) this.#options.link.reconcile(); // the others may have dropped this node's state
    return new Set(ids);
  }
}
