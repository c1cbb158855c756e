import type { Connection, ConnectionEvents, ElicitResult } from './connection.ts';

/** Who a server's words and questions are for while one of its calls runs. */
export interface Desk {
  readonly sessionId: string;
  readonly signal: AbortSignal;
  /** @param signal - aborts once the server no longer waits for the answer */
  elicit(params: unknown, signal?: AbortSignal): Promise<ElicitResult>;
  /** Sends an answer; where that fails its call ends. @throws what `sendAnswer` throws */
  deliver(sendAnswer: () => Promise<void>): Promise<void>;
  onLog(level: string, text: string): void;
}

export interface LaneOptions {
  open(events: ConnectionEvents): Promise<Connection>;
  /** What concerns no call. */
  readonly events: Pick<ConnectionEvents, 'onToolsChanged' | 'onLog' | 'onStderr' | 'onFault'>;
  /** The connection was lost, and nobody closed it. */
  onLost(): void;
  /** It stays connected without a call, for a server's tools are listed over it. */
  readonly isKept: boolean;
}

/** In ms: how long a session keeps its connection without a call. */
const idleMs = 5 * 60_000;
/** A server that says so of addresses that it never sent people to is not listened to for ever. */
const maxDoneUrls = 100;

/**
 * A connection that runs one call at a time. In the era of 2025 a server's question does not say which call it belongs to: the only
 * one that runs is it, so that no question ever reaches the people of another session (AGT4).
 */
export class Lane {
  readonly #options: LaneOptions;
  #connection: Promise<Connection> | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #count = 0;
  /** Whose calls run. */
  readonly #desks = new Set<Desk>();
  #idle: NodeJS.Timeout | undefined;
  /** What people did there is done; nobody has waited for it yet. */
  readonly #doneUrls = new Set<string>();
  readonly #urlWaits = new Set<() => void>();
  /** The session that it belongs to: its calls may build on one another. */
  sessionId: string | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** How many calls wait in it or run. */
  get load(): number {
    return this.#count;
  }

  /** The connection there is, or a new one. @throws what the SDK throws */
  connect(): Promise<Connection> {
    this.#connection ??= this.#open();
    return this.#connection;
  }

  /** Forgets a connection that the server knows nothing of any more. */
  async drop(): Promise<void> {
    const dropped = this.#connection;
    this.#connection = undefined;
    await (await dropped?.catch(() => undefined))?.close().catch(() => undefined); // it is gone either way
  }

  /** Runs `work` once all that came before it has ended. @throws what `work` throws, or the reason of a signal that aborted meanwhile */
  async run<T>(desk: Desk, work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#idle);
    this.#count += 1;
    this.sessionId = desk.sessionId;
    const turn = this.#tail.then(() => {
      desk.signal.throwIfAborted();
      return this.share(desk, work);
    });
    this.#tail = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      this.#count -= 1;
      if (this.#count === 0) this.#rest();
    }
  }

  /** Runs `work` beside others: in the era of 2026 an answer says what it answers. @throws what `work` throws */
  async share<T>(desk: Desk, work: () => Promise<T>): Promise<T> {
    this.#desks.add(desk);
    try {
      return await work();
    } finally {
      this.#desks.delete(desk);
    }
  }

  /** The only call that runs: what a server says of none is of it. */
  get #only(): Desk | undefined {
    const [only, other] = this.#desks;
    return other ? undefined : only;
  }

  /** Resolves once the server says that what people did at its address is done, the signal aborts, or the server is gone. */
  async untilUrlDone(elicitationId: string, signal: AbortSignal): Promise<void> {
    while (!this.#doneUrls.delete(elicitationId) && !signal.aborted && this.#connection) {
      const ended = new AbortController();
      await new Promise<void>((resolve) => {
        this.#urlWaits.add(resolve);
        signal.addEventListener('abort', () => resolve(), { signal: ended.signal });
        ended.signal.addEventListener('abort', () => this.#urlWaits.delete(resolve));
      });
      ended.abort();
    }
  }

  #endUrlWaits(): void {
    for (const end of [...this.#urlWaits]) end();
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.drop();
  }

  async #open(): Promise<Connection> {
    const { open, events, onLost } = this.#options;
    let opened: Connection | undefined;
    try {
      opened = await open({
        ...events,
        onLog: (level, text) => (this.#only ?? events).onLog(level, text),
        onElicit: async (params, signal) => (await this.#only?.elicit(params, signal)) ?? { action: 'cancel' }, // asked for no call: there is nobody to ask
        deliver: (sendAnswer) => this.#only?.deliver(sendAnswer) ?? sendAnswer(),
        onElicitationDone: (id) => {
          if (this.#doneUrls.size < maxDoneUrls) this.#doneUrls.add(id);
          this.#endUrlWaits();
        },
        onClosed: () => {
          if (opened === undefined || !this.#connection) return; // dropped by ourselves
          this.#connection = undefined;
          this.#doneUrls.clear();
          this.#endUrlWaits();
          onLost();
        },
      });
      return opened;
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  #rest(): void {
    this.#idle = setTimeout(() => {
      this.sessionId = undefined;
      if (!this.#options.isKept) void this.drop();
    }, idleMs).unref();
  }
}
