import {
  type ClientFrame,
  isWorthRetrying,
  protocolVersion,
  type ServerFrame,
  type ServerFrameOf,
} from '@parleyhq/core';
import type { Link, Transport } from './transport.ts';

/** `refused`: the server said that trying again is useless (FRM3). */
export type ConnectionState = 'connecting' | 'open' | 'reconnecting' | 'refused' | 'stopped';

export type Hello = Omit<Extract<ClientFrame, { type: 'hello' }>, 'type' | 'protocol'>;

export interface ConnectionHandlers {
  /** Said anew on every link: what it holds may have changed meanwhile. */
  hello(): Hello;
  onFrame(frame: ServerFrame): void;
  onState(state: ConnectionState, closeCode: number | undefined): void;
}

export interface ConnectionOptions {
  readonly heartbeatMs?: number;
  /** The first pause before another attempt; it doubles up to 32 times that, with jitter. */
  readonly backoffMs?: number;
}

/** How long the answer to a `ping` may take when somebody just came back to the page. */
const probeMs = 3000;

/**
 * A line to the server that mends itself: says hello, keeps a heartbeat and the server's clock, reconnects with jittered
 * backoff (FRM4). What was sent over a line that broke is not sent again here.
 */
export class Connection {
  readonly #transport: Transport;
  readonly #handlers: ConnectionHandlers;
  readonly #heartbeatMs: number;
  readonly #backoffMs: number;
  #state: ConnectionState = 'stopped';
  #link: Link | undefined;
  #attempts = 0;
  #missed = 0;
  #pingedAt = 0;
  #clockOffset = 0;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #probe: ReturnType<typeof setTimeout> | undefined;

  constructor(transport: Transport, handlers: ConnectionHandlers, options: ConnectionOptions = {}) {
    this.#transport = transport;
    this.#handlers = handlers;
    this.#heartbeatMs = options.heartbeatMs ?? 15_000;
    this.#backoffMs = options.backoffMs ?? 500;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  /** The server's time in milliseconds: what countdowns go by, however wrong the clock here is (FRM4). */
  now(): number {
    return Date.now() + this.#clockOffset;
  }

  start(): void {
    if (this.#state !== 'stopped' && this.#state !== 'refused') return;
    this.#attempts = 0;
    this.#setState('connecting');
    this.#open();
  }

  stop(): void {
    this.#drop();
    this.#setState('stopped');
  }

  /** The page is visible again: no waiting for the backoff, and a line that only looks alive is found out soon. */
  reconnectNow(): void {
    if (this.#state === 'open') {
      this.#ping();
      clearTimeout(this.#probe);
      this.#probe = setTimeout(() => this.#reopen(), probeMs);
    } else if (this.#retry !== undefined) {
      this.#attempts = 0;
      this.#open();
    }
  }

  /** False where the line is not open: then nothing was sent. */
  send(frame: ClientFrame): boolean {
    if (this.#state !== 'open') return false;
    this.#link?.send(JSON.stringify(frame));
    return true;
  }

  #open(): void {
    this.#drop();
    const isCurrent = () => this.#link === link;
    const link: Link = this.#transport({
      onOpen: () => {
        if (!isCurrent()) return;
        const hello: ClientFrame = { type: 'hello', protocol: protocolVersion, ...this.#handlers.hello() };
        link.send(JSON.stringify(hello));
      },
      onText: (text) => isCurrent() && this.#receive(JSON.parse(text) as ServerFrame),
      onClose: (code) => isCurrent() && this.#lose(code),
    });
    this.#link = link;
    this.#startHeartbeat();
  }

  #receive(frame: ServerFrame): void {
    this.#missed = 0;
    clearTimeout(this.#probe);
    if (frame.type === 'welcome') this.#greet(frame);
    if (frame.type === 'pong') this.#setClock(frame.now, Date.now() - this.#pingedAt);
    else this.#handlers.onFrame(frame);
  }

  #greet(frame: ServerFrameOf<'welcome'>): void {
    this.#attempts = 0;
    this.#setClock(frame.now, 0);
    this.#setState('open');
  }

  #setClock(now: string, roundTripMs: number): void {
    this.#clockOffset = Date.parse(now) + roundTripMs / 2 - Date.now();
  }

  /** Also runs while the hello waits for its welcome: a server that accepts and stays silent is given up like any other. */
  #startHeartbeat(): void {
    this.#missed = 0;
    this.#heartbeat = setInterval(() => {
      if (this.#missed >= 2) this.#reopen();
      else this.#ping();
    }, this.#heartbeatMs);
  }

  #ping(): void {
    this.#missed += 1;
    this.#pingedAt = Date.now();
    this.send({ type: 'ping' });
  }

  #reopen(): void {
    this.#setState('reconnecting');
    this.#open();
  }

  #lose(code: number): void {
    this.#drop();
    if (!isWorthRetrying(code)) {
      this.#setState('refused', code);
      return;
    }
    this.#setState(this.#state === 'connecting' ? 'connecting' : 'reconnecting', code);
    const ceiling = this.#backoffMs * 2 ** Math.min(this.#attempts, 5);
    this.#attempts += 1;
    this.#retry = setTimeout(() => this.#open(), ceiling / 2 + (Math.random() * ceiling) / 2);
  }

  #drop(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#retry);
    clearTimeout(this.#probe);
    this.#retry = undefined;
    const link = this.#link;
    this.#link = undefined;
    link?.close();
  }

  #setState(state: ConnectionState, closeCode?: number): void {
    this.#state = state;
    this.#handlers.onState(state, closeCode);
  }
}
