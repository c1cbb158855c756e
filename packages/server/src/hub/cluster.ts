import type { Json, LivingNode, SharedNews, SharedStore } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { CommonClock } from '../node/common-clock.ts';
import type { WorkingSession } from './working-session.ts';

/** In ms: how long a node is taken to live after it said so, and how often it does. */
const leaseMs = 15_000;
const renewMs = 1000;

/** So many times it does so from one look at the common clock to the next. */
const beatsBetweenLooks = 30;

export interface ClusterOptions {
  readonly shared: SharedStore;
  readonly nodeId: string;
  /** What this node takes the time to be. */
  readonly clock: CommonClock;
  /** Nodes tell each other what is never stored. This one listens before it greets: the others then tell it. */
  readonly link: { open(): Promise<void>; greet(): void; reconcile(): void };
  /** Every session in memory. */
  readonly live: () => readonly Promise<WorkingSession>[];
  /** Hears what was stored, by this node or others. */
  readonly hear: (news: SharedNews) => Promise<void>;
  /** Goes on with what the node that ran it has left. */
  readonly takeOver: (session: WorkingSession) => Promise<void>;
  /** What this node tells the others of itself. */
  readonly describe: () => Json;
  /** Hears what the others tell, and whether this node is the one that does what only one may do. */
  readonly onNodes: (others: readonly LivingNode[], isFirst: boolean) => void;
  readonly log: Logger;
}

/** This node among others on one database: what they stored is heard here, and what the dead ones ran goes on (OPS4). */
export class Cluster {
  readonly #options: ClusterOptions;
  #timer: NodeJS.Timeout | undefined;
  /** News that could not be taken over: the database was away. */
  #unheard: SharedNews[] = [];
  #hasStopped = false;
  /** Until when the others take this node to live, by the clock of this process. */
  #livesUntil = 0;
  #beats = 0;
  #isFirst = false;

  constructor(options: ClusterOptions) {
    this.#options = options;
  }

  /** Whether no other node can take this one to be dead: one that was stopped for long wakes and does not know. */
  get isAlive(): boolean {
    return performance.now() < this.#livesUntil;
  }

  /** Whether this node is the one that does what only one may do. */
  get isFirst(): boolean {
    return this.#isFirst && this.isAlive;
  }

  /** From now on the others know of this node, and nothing that they store is missed. */
  async start(): Promise<void> {
    const { shared, link, log } = this.#options;
    const onFault = (error: unknown) => log.warn({ error }, 'what other nodes store is heard late');
    await link.open();
    await this.#renew();
    await shared.follow((news) => this.#hear(news), onFault);
    this.#beat();
  }

  /** What fails now is tried again with the next beat: nobody tells it twice. */
  #hear(news: readonly SharedNews[]): void {
    const { hear, log } = this.#options;
    for (const each of news)
      hear(each).catch((error: unknown) => {
        log.warn({ error }, 'what another node stored is taken over late');
        this.#unheard.push(each); // mutant: unheard
      });
  }

  /** All that was unfinished is in memory: this node takes its part. */
  async join(): Promise<void> {
    this.#options.link.greet();
    await this.look();
  }

  /** Goes on with what dead nodes left. Who owns what is read first: whoever begins a turn had said before that it lives. */
  async look(): Promise<void> {
    const { live, takeOver, nodeId, log } = this.#options;
    const sessions = await Promise.all(live());
    const owned = sessions.flatMap((each) => {
      const owner = each.session.head.turn?.owner;
      return owner === undefined || owner === nodeId ? [] : [{ each, owner }];
    });
    const living = await this.#renew();
    for (const { each, owner } of owned) {
      const { session } = each;
      if (living.has(owner) && session.head.turn?.owner === owner && session.isOwned) each.turns.giveBack(); // it had stood still
    }
    const left = owned.filter(
      ({ each: { session }, owner }) => !living.has(owner) && session.head.turn?.owner === owner && !session.isOwned, // else it was left here before
    );
    for (const { each, owner } of left) {
      log.warn(
        { sessionId: each.session.id, owner },
        'a node has ended: its turn goes on here once something needs it, unless another is first',
      );
      await takeOver(each);
    }
  }

  async stop(): Promise<void> {
    this.#hasStopped = true;
    clearTimeout(this.#timer);
    const { shared, nodeId, log } = this.#options;
    await shared
      .leave(nodeId)
      .catch((error: unknown) => log.warn({ error }, 'the lease of this node runs out by itself'));
  }

  #beat(): void {
    if (this.#hasStopped) return;
    this.#timer = setTimeout(() => {
      this.#hear(this.#unheard.splice(0));
      this.look()
        .catch((error: unknown) => this.#options.log.warn({ error }, 'this node could not say that it lives'))
        .finally(() => this.#beat());
    }, renewMs).unref();
  }

  async #renew(): Promise<ReadonlySet<string>> {
    const { shared, nodeId, clock, describe, onNodes } = this.#options;
    if (this.#beats % beatsBetweenLooks === 0) await clock.follow(() => shared.readClock());
    this.#beats += 1;
    const begun = performance.now();
    const living = await shared.renew({ id: nodeId, details: describe() }, leaseMs);
    const hadEnded = !this.isAlive;
    this.#livesUntil = begun + leaseMs;
    const ids = living.map(({ id }) => id);
    const others = living.filter(({ id }) => id !== nodeId);
    this.#isFirst = ids[0] === nodeId;
    if (!this.#hasStopped && hadEnded) onNodes(others, false); // others may have done meanwhile what it did
    if (!this.#hasStopped) onNodes(others, this.#isFirst);
    if (!this.#hasStopped && hadEnded) this.#options.link.reconcile(); // the others may have forgotten it
    return new Set(ids);
  }
}
