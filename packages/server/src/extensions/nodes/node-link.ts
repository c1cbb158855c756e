import type { Bus, Json } from '@parleyhq/core';
import type { Extension, PeerMessage, Peers, SessionHub, SessionMessage, SessionWriter } from '@parleyhq/runtime';
import type { Logger } from 'pino';

/** Maximum number of queued messages of other nodes; further ones are dropped, which this protocol permits. */
const mostWaiting = 1000;

/** Recipients of the messages of other nodes. */
interface Recipients {
  readonly hub: Pick<SessionHub, 'open'>;
  readonly extensions: readonly Extension[];
  /** Reads which nodes are alive and what they publish about themselves. */
  look(): Promise<void>;
}

/** A handler of messages, with its kind's type left out: the table has the right one for each. */
type Handle = (message: PeerMessage, from: string, session?: SessionWriter) => void;

interface Envelope {
  readonly from: string;
  /** If undefined, this is a greeting: the sender has just joined and knows nothing yet. */
  readonly message?: PeerMessage;
  /** Whether the sender has just released its lease; an older release takes this for a greeting and looks at the leases, too. */
  readonly isLeaving?: true;
}

/** Exchanges with the other nodes what is never stored (OPS4). */
export class NodeLink implements Peers {
  readonly #options: { readonly bus: Bus; readonly nodeId: string; readonly log: Logger };
  #recipients: Recipients | undefined;
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
  async open(recipients: Recipients): Promise<void> {
    this.#recipients = recipients;
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
   * Informs the other nodes that this one has stopped, so that they take over its turns at once: an answer that they stored before
   * would count as one on which this node may have acted (DUR4).
   */
  leave(): void {
    this.#isListening = false;
    this.#send({ from: this.#options.nodeId, isLeaving: true });
  }

  /**
   * Resynchronises after lost messages, or after the others dropped this node: each node sends its whole state as if to a new
   * one.
   */
  reconcile(): void {
    if (!this.#isListening) return;
    void this.#republish();
    this.greet();
  }

  /** Stores which other nodes are alive. */
  meet(nodes: readonly string[]): void {
    for (const [node, left] of this.#greeted) {
      if (left === 0 || nodes.includes(node)) this.#greeted.delete(node);
      else this.#greeted.set(node, left - 1);
    }
    this.#others = new Set([...nodes, ...this.#greeted.keys()]);
  }

  /** The other nodes known to be alive. */
  get others(): ReadonlySet<string> {
    return this.#others;
  }

  readonly publish = (message: PeerMessage): void => {
    if (this.#others.size > 0) this.#send({ from: this.#options.nodeId, message });
  };

  #send(envelope: Envelope): void {
    this.#options.bus.publish(envelope as unknown as Json);
  }

  /** Sends a node that has just joined the state that it missed. */
  async #welcome(node: string): Promise<void> {
    this.#greeted.set(node, 1);
    this.#others = new Set([...this.#others, node]);
    await this.#republish();
    await this.#recipients?.look();
  }

  async #republish(): Promise<void> {
    for (const { name, republish } of this.#recipients?.extensions ?? []) {
      try {
        await republish?.();
      } catch (error) {
        this.#options.log.warn(
          { extension: name, error },
          'the state of an extension could not be sent to other nodes',
        );
      }
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

  async #handle({ from, message, isLeaving }: Envelope): Promise<void> {
    if (isLeaving) return this.#recipients?.look();
    if (!message) return this.#welcome(from);
    const recipients = this.#recipients;
    const { kind } = message;
    const handler = recipients?.extensions.find(({ messages }) => messages?.[kind])?.messages?.[kind];
    if (!recipients || !handler) return; // a message of a newer release
    const handle = handler as Handle;
    if (isOfSession(message)) handle(message, from, await this.#find(recipients, message));
    else handle(message, from);
  }

  /** Opens the session in the state that the sender knew, or a newer one. @throws RefusalError `not_found` */
  async #find({ hub }: Recipients, { sessionId, seq }: SessionMessage): Promise<SessionWriter> {
    const { session } = await hub.open(sessionId);
    if (session.row.seq < seq) await session.missed.read();
    return session;
  }
}

function isOfSession(message: PeerMessage): message is SessionMessage {
  return 'seq' in message;
}
