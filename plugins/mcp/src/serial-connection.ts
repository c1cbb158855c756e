import type { Connection, ConnectionEvents, ElicitResult } from './connection.ts';

/** Handlers for messages and questions that a server sends while a call runs. */
export interface CallHandlers {
  readonly sessionId: string;
  readonly signal: AbortSignal;
  /** @param signal - aborts once the server no longer waits for the answer */
  elicit(params: unknown, signal?: AbortSignal): Promise<ElicitResult>;
  /** Sends an answer; if that fails, the call ends. @throws what `sendAnswer` throws */
  deliver(sendAnswer: () => Promise<void>): Promise<void>;
  onLog(level: string, text: string): void;
}

export interface LaneOptions {
  open(events: ConnectionEvents): Promise<Connection>;
  /** Handlers for events that belong to no call. */
  readonly events: Pick<ConnectionEvents, 'onToolsChanged' | 'onLog' | 'onStderr' | 'onFault'>;
  /** Called when the connection ends without having been closed here. */
  onLost(): void;
  /** Whether the connection stays open without a call, because the server's tools are listed over it. */
  readonly isKept: boolean;
}

/** How long a session keeps its connection without a call, in ms. */
const idleMs = 5 * 60_000;
/** Limit for addresses that a server reports as done, since it may name any number that it never sent people to. */
const maxDoneUrls = 100;

/**
 * A connection that runs one call at a time. A question of a server of the 2025 era does not say to which call it belongs, so it
 * is attributed to the only running call. In this way no question reaches the people of another session (AGT4).
 */
export class SerialConnection {
  readonly #options: LaneOptions;
  #connection: Promise<Connection> | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #count = 0;
  /** The handlers of the running calls. */
  readonly #desks = new Set<CallHandlers>();
  #idle: NodeJS.Timeout | undefined;
  /** Ids of addresses that the server reported as done before anybody waited for them. */
  readonly #doneUrls = new Set<string>();
  readonly #urlWaits = new Set<() => void>();
  /** The session that uses the connection: the server may keep state between its calls. */
  sessionId: string | undefined;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** The number of waiting and running calls. */
  get load(): number {
    return this.#count;
  }

  /** Returns the current connection, or opens a new one. @throws what the SDK throws */
  connect(): Promise<Connection> {
    this.#connection ??= this.#open();
    return this.#connection;
  }

  /** Closes a connection that the server no longer knows; the next call opens a new one. */
  async drop(): Promise<void> {
    const dropped = this.#connection;
    this.#connection = undefined;
    // it is not used again, whether or not it closes
    await (await dropped?.catch(() => undefined))?.close().catch(() => undefined);
  }

  /**
   * Runs `work` after all earlier work has ended.
   * @throws what `work` throws, or the reason of a signal that aborted meanwhile
   */
  async run<T>(desk: CallHandlers, work: () => Promise<T>): Promise<T> {
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

  /**
   * Runs `work` in parallel with other calls, which is safe in the 2026 era: messages name their call.
   * @throws what `work` throws
   */
  async share<T>(desk: CallHandlers, work: () => Promise<T>): Promise<T> {
    this.#desks.add(desk);
    try {
      return await work();
    } finally {
      this.#desks.delete(desk);
    }
  }

  /** The only running call, if there is exactly one: messages without a call id are attributed to it. */
  get #only(): CallHandlers | undefined {
    const [only, other] = this.#desks;
    return other ? undefined : only;
  }

  /** Resolves once the server reports that people have finished at its address, the signal aborts, or the connection ends. */
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
        // without a call there is nobody to ask
        onElicit: async (params, signal) => (await this.#only?.elicit(params, signal)) ?? { action: 'cancel' },
        deliver: (sendAnswer) => this.#only?.deliver(sendAnswer) ?? sendAnswer(),
        onElicitationDone: (id) => {
          if (this.#doneUrls.size < maxDoneUrls) this.#doneUrls.add(id);
          this.#endUrlWaits();
        },
        onClosed: () => {
          if (opened === undefined || !this.#connection) return; // closed here, not lost
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
