import { type Bus, findPrompt, type Json, type SessionId } from '@parleyhq/core';
import type { Logger } from 'pino';
import type { QuotaService } from '../auth/quota-service.ts';
import type { Claims } from '../tabs/claims.ts';
import type { NodeMessage, ResultTold, ResultWanted } from '../tabs/node-message.ts';
import type { SessionHub } from './hub.ts';
import type { Presence } from './presence.ts';
import type { SessionRuntime } from './session-runtime.ts';

/** Maximum number of queued messages of other nodes; further ones are dropped, which this protocol permits. */
const mostWaiting = 1000;

/** Services that receive messages of other nodes. */
interface Listeners {
  readonly hub: Pick<SessionHub, 'open' | 'live'>;
  readonly presence: Pick<Presence, 'updateFollowers' | 'forgetNodesBut' | 'republish'>;
  readonly claims: Pick<Claims, 'receive' | 'republish'>;
  readonly quotas: Pick<QuotaService, 'addSpent'>;
  readonly results: {
    onResultWanted(node: string, message: ResultWanted): void;
    onResultTold(node: string, message: ResultTold): void;
  };
  /** Reads which nodes are alive and what they publish about themselves. */
  look(): Promise<void>;
}

interface Envelope {
  readonly from: string;
  /** If undefined, this is a greeting: the sender has just joined and knows nothing yet. */
  readonly message?: NodeMessage;
}

/** Exchanges with the other nodes what is never stored (OPS4). */
export class NodeLink {
  readonly #options: { readonly bus: Bus; readonly nodeId: string; readonly log: Logger };
  #listeners: Listeners | undefined;
  #isListening = false;
  #others: ReadonlySet<string> = new Set();
  /**
   * Nodes that greeted but are not yet on a list of living nodes, with the number of lists that may still have been made before
   * the greeting.
   */
  readonly #greeted = new Map<string, number>();
  /** Messages are handled one after the other, so those about one session keep their order. */
  #handling: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: { readonly bus: Bus; readonly nodeId: string; readonly log: Logger }) {
    this.#options = options;
  }

  /** Subscribes to messages, which are dropped until this node has greeted. */
  async open(listeners: Listeners): Promise<void> {
    this.#listeners = listeners;
    await this.#options.bus.subscribe(
      (message) => this.#receive(message),
      () => this.reconcile(),
    );
  }

  /**
   * Greets the other nodes once unfinished work is loaded: this node handles messages from now on, and the others need not wait
   * for their next look at the leases.
   */
  greet(): void {
    this.#isListening = true;
    this.#send({ from: this.#options.nodeId });
  }

  /**
   * Resynchronises after lost messages, or after the others dropped this node: each node sends its whole state as if to a new
   * one.
   */
  reconcile(): void {
    if (!this.#isListening) return;
    this.#republish().catch((error: unknown) =>
      this.#options.log.debug({ error }, 'the full state could not be sent to other nodes'),
    );
    this.greet();
  }

  /** Stores which other nodes are alive. */
  meet(nodes: readonly string[]): void {
    for (const [node, left] of this.#greeted) {
      if (left === 0 || nodes.includes(node)) this.#greeted.delete(node);
      else this.#greeted.set(node, left - 1);
    }
    this.#others = new Set([...nodes, ...this.#greeted.keys()]);
    this.#listeners?.presence.forgetNodesBut(this.#others);
  }

  /** The other nodes known to be alive. */
  get others(): ReadonlySet<string> {
    return this.#others;
  }

  publish(message: NodeMessage): void {
    if (this.#others.size > 0) this.#send({ from: this.#options.nodeId, message });
  }

  #send(envelope: Envelope): void {
    this.#options.bus.publish(envelope as unknown as Json);
  }

  /** Sends a node that has just joined the state that it missed. */
  async #welcome(node: string): Promise<void> {
    this.#greeted.set(node, 1);
    this.#others = new Set([...this.#others, node]);
    await this.#republish();
    await this.#listeners?.look();
  }

  async #republish(): Promise<void> {
    if (!this.#listeners) return;
    const { hub, presence, claims } = this.#listeners;
    presence.republish();
    claims.republish();
    for (const loading of hub.live()) {
      const { session } = await loading;
      if (session.isOwned) session.tabs.stream.publishAll();
    }
  }

  #receive(received: Json): void {
    if (!this.#isListening || this.#waiting >= mostWaiting) return;
    this.#waiting += 1;
    this.#handling = this.#handling
      .then(() => this.#handle(received as unknown as Envelope))
      .catch((error: unknown) => this.#options.log.debug({ error }, 'a message of another node was dropped'))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  async #handle({ from, message }: Envelope): Promise<void> {
    if (!message) return this.#welcome(from);
    if (message.kind === 'followers') {
      this.#listeners?.presence.updateFollowers(from, message.sessionId, message.followers);
      return;
    }
    if (message.kind === 'spent') {
      this.#listeners?.quotas.addSpent(message.person, message.costs);
      return;
    }
    if (message.kind === 'result_told') {
      this.#listeners?.results.onResultTold(from, message);
      return;
    }
    const live = await this.#find(message.sessionId, message.seq);
    if (!live) return;
    const { session } = live;
    switch (message.kind) {
      case 'stream':
        if (session.head.turn?.turnId === message.part.turnId && !session.isOwned) session.tabs.stream.receive(message);
        break;
      case 'stream_discarded':
        session.tabs.stream.forget(message.responseId);
        break;
      case 'streams_wanted':
        if (session.isOwned) session.tabs.stream.publishAll();
        break;
      case 'draft':
        session.tabs.relayDraft(message);
        break;
      case 'claim': {
        const prompt = findPrompt(session.head, message.interactionId);
        if (prompt) this.#listeners?.claims.receive(message, prompt);
        break;
      }
      case 'result_wanted':
        this.#listeners?.results.onResultWanted(from, message);
        break;
      default:
        message satisfies never; // a message of a newer release
    }
  }

  /** Opens the session in the state that the sender knew, or a newer one. */
  async #find(id: SessionId, seq: number): Promise<SessionRuntime | undefined> {
    const live = await this.#listeners?.hub.open(id);
    if (live && live.session.row.seq < seq) await live.session.catchUp();
    return live;
  }
}
