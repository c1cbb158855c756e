import { type Bus, findPrompt, type Json, type SessionId } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { QuotaBook } from '../auth/quota-book.ts';
import type { Claims } from '../tabs/claims.ts';
import type { NodeMessage, ResultTold, ResultWanted } from '../tabs/node-message.ts';
import type { SessionHub } from './hub.ts';
import type { Presence } from './presence.ts';
import type { WorkingSession } from './working-session.ts';

/** So many messages of other nodes may wait; what comes on top is dropped, as anything here may be. */
const mostWaiting = 1000;

/** What hears of the other nodes. */
interface Listeners {
  readonly hub: Pick<SessionHub, 'open' | 'live'>;
  readonly presence: Pick<Presence, 'hearFollowers' | 'forgetNodesBut' | 'retell'>;
  readonly claims: Pick<Claims, 'hear' | 'retell'>;
  readonly quotas: Pick<QuotaBook, 'hearSpent'>;
  readonly results: {
    hearWanted(node: string, message: ResultWanted): void;
    hearTold(node: string, message: ResultTold): void;
  };
  /** Finds out who lives, and what they say of themselves. */
  look(): Promise<void>;
}

interface Envelope {
  readonly from: string;
  /** A greeting where there is none: whoever sends it has just come and knows nothing yet. */
  readonly message?: NodeMessage;
}

/** Tells the other nodes, and hears from them, what is never stored (OPS4). */
export class NodeLink {
  readonly #options: { readonly bus: Bus; readonly nodeId: string; readonly log: Logger };
  #listeners: Listeners | undefined;
  #isListening = false;
  #others: ReadonlySet<string> = new Set();
  /** Those that greeted and are on no list of living nodes yet, and how many lists may still have been made before. */
  readonly #greeted = new Map<string, number>();
  /** Messages are heard one after the other: what is said of a session keeps its order. */
  #hearing: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: { readonly bus: Bus; readonly nodeId: string; readonly log: Logger }) {
    this.#options = options;
  }

  /** Messages come from now on, and are heard once this node has greeted. */
  async open(listeners: Listeners): Promise<void> {
    this.#listeners = listeners;
    await this.#options.bus.subscribe(
      (message) => this.#receive(message),
      () => this.reconcile(),
    );
  }

  /** This node has taken up what was unfinished: from now on it hears, and the others need not wait until they look for it. */
  greet(): void {
    this.#isListening = true;
    this.#publish({ from: this.#options.nodeId });
  }

  /** Messages were lost, or the others forgot this node: each tells all that it knows, as to one that has come. */
  reconcile(): void {
    if (!this.#isListening) return;
    this.#retell().catch((error: unknown) => this.#options.log.debug({ error }, 'other nodes were told a part only'));
    this.greet();
  }

  /** The other nodes that live. */
  meet(nodes: readonly string[]): void {
    for (const [node, left] of this.#greeted) {
      if (left === 0 || nodes.includes(node)) this.#greeted.delete(node);
      else this.#greeted.set(node, left - 1);
    }
    this.#others = new Set([...nodes, ...this.#greeted.keys()]);
    this.#listeners?.presence.forgetNodesBut(this.#others);
  }

  /** Those that live, as far as is known. */
  get others(): ReadonlySet<string> {
    return this.#others;
  }

  tell(message: NodeMessage): void {
    if (this.#others.size > 0) this.#publish({ from: this.#options.nodeId, message });
  }

  #publish(envelope: Envelope): void {
    this.#options.bus.publish(envelope as unknown as Json);
  }

  /** Tells a node that has just come all that it could not hear. */
  async #welcome(node: string): Promise<void> {
    this.#greeted.set(node, 1);
    this.#others = new Set([...this.#others, node]);
    await this.#retell();
    await this.#listeners?.look();
  }

  async #retell(): Promise<void> {
    if (!this.#listeners) return;
    const { hub, presence, claims } = this.#listeners;
    presence.retell();
    claims.retell();
    for (const loading of hub.live()) {
      const { session } = await loading;
      if (session.isOwned) session.tabs.stream.tellAll();
    }
  }

  #receive(received: Json): void {
    if (!this.#isListening || this.#waiting >= mostWaiting) return;
    this.#waiting += 1;
    this.#hearing = this.#hearing
      .then(() => this.#hear(received as unknown as Envelope))
      .catch((error: unknown) => this.#options.log.debug({ error }, 'what another node told was dropped'))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async #hear({ from, message }: Envelope): Promise<void> {
    if (!message) return this.#welcome(from);
    if (message.kind === 'followers') {
      this.#listeners?.presence.hearFollowers(from, message.sessionId, message.followers);
      return;
    }
    if (message.kind === 'spent') {
      this.#listeners?.quotas.hearSpent(message.person, message.costs);
      return;
    }
    if (message.kind === 'result_told') {
      this.#listeners?.results.hearTold(from, message);
      return;
    }
    const live = await this.#find(message.sessionId, message.seq);
    if (!live) return;
    const { session } = live;
    switch (message.kind) {
      case 'stream':
        if (session.head.turn?.turnId === message.part.turnId && !session.isOwned) session.tabs.stream.hear(message);
        break;
      case 'stream_discarded':
        session.tabs.stream.forget(message.responseId);
        break;
      case 'streams_wanted':
        if (session.isOwned) session.tabs.stream.tellAll();
        break;
      case 'draft':
        session.tabs.relayDraft(message);
        break;
      case 'claim': {
        const prompt = findPrompt(session.head, message.interactionId);
        if (prompt) this.#listeners?.claims.hear(message, prompt);
        break;
      }
      case 'result_wanted':
        this.#listeners?.results.hearWanted(from, message);
        break;
      default:
        message satisfies never; // of a newer release
    }
  }

  /** The session as the sender knew it, or newer. */
  async #find(id: SessionId, seq: number): Promise<WorkingSession | undefined> {
    const live = await this.#listeners?.hub.open(id);
    if (live && live.session.row.seq < seq) await live.session.catchUp();
    return live;
  }
}
