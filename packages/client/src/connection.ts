import {
  type ClientFrame,
  isWorthRetrying,
  protocolVersion,
  type ServerFrame,
  type ServerFrameOf,
} from '@parleyhq/core';
import { type InvalidFrame, readFrame } from './frame-check.ts';
import type { Link, Transport } from './transports/transport.ts';

/** `refused`: the server closed with a code that makes retrying useless (FRM3). */
export type ConnectionStatus = 'connecting' | 'open' | 'reconnecting' | 'refused' | 'stopped';

export type Hello = Omit<Extract<ClientFrame, { type: 'hello' }>, 'type' | 'protocol'>;

export interface ConnectionHandlers {
  /** Returns the hello for a new link; called for each one, because the contents may change. */
  hello(): Hello;
  /** Called after the hello was sent: a `subscribe` may follow it before the welcome. */
  onHello(): void;
  /** Called with each welcome, before anything can be sent. */
  onPrincipal(id: string): void;
  onFrame(frame: ServerFrame): void;
  /** Called if the server sends something that does not match the protocol (FRM1). */
  onFault(fault: InvalidFrame): void;
  onStatus(status: ConnectionStatus, closeCode: number | undefined): void;
}

export interface ConnectionOptions {
  /** The time between pings, in ms. */
  readonly heartbeatMs?: number;
  /** The first pause before another attempt, in ms; doubles up to 32 times that, with jitter. */
  readonly backoffMs?: number;
}

/** How long a `pong` may take after somebody has returned to the page, in ms. */
const probeMs = 3000;

/**
 * A connection that reconnects: sends hello, keeps a heartbeat and the server's clock, and retries with jittered backoff
 * (FRM4). It does not resend what was lost; `RequestQueue` does.
 */
export class Connection {
  readonly #transport: Transport;
  readonly #handlers: ConnectionHandlers;
  readonly #heartbeatMs: number;
  readonly #backoffMs: number;
  #status: ConnectionStatus = 'stopped';
  #link: Link | undefined;
  #attempts = 0;
  #missed = 0;
  #pingedAt = 0;
  #clockOffset = 0;
  #hasSaidHello = false;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #probe: ReturnType<typeof setTimeout> | undefined;

  constructor(transport: Transport, handlers: ConnectionHandlers, options: ConnectionOptions = {}) {
    this.#transport = transport;
    this.#handlers = handlers;
    this.#heartbeatMs = options.heartbeatMs ?? 15_000;
    this.#backoffMs = options.backoffMs ?? 500;
  }

  get status(): ConnectionStatus {
    return this.#status;
  }

  /** The server's time in ms, for countdowns that do not depend on the local clock (FRM4). */
  now(): number {
    return Date.now() + this.#clockOffset;
  }

  start(): void {
    if (this.#status !== 'stopped' && this.#status !== 'refused') return;
    this.#attempts = 0;
    this.#setStatus('connecting');
    this.#open();
  }

  stop(): void {
    this.#drop();
    this.#setStatus('stopped');
  }

  /** Call when the page is visible or online again: skips the backoff, and quickly detects a dead link. */
  reconnectNow(): void {
    if (this.#status === 'open') {
      this.#ping();
      clearTimeout(this.#probe);
      this.#probe = setTimeout(() => this.#reopen(), probeMs);
    } else if (this.#retry !== undefined) {
      this.#attempts = 0;
      this.#open();
    }
  }

  /**
   * Sends a frame. A `subscribe` may follow the hello at once; the server handles it after logging in the principal. Everything
   * else waits for the welcome, which names the principal (SEC4).
   * @returns false if the connection is not open and nothing was sent
   */
  send(frame: ClientFrame): boolean {
    if (this.#status !== 'open' && !(this.#hasSaidHello && frame.type === 'subscribe')) return false;
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
        this.#hasSaidHello = true;
        link.send(JSON.stringify(hello));
        this.#handlers.onHello();
      },
      onText: (text) => isCurrent() && this.#receive(text),
      onClose: (code) => isCurrent() && this.#lose(code),
    });
    this.#link = link;
    this.#startHeartbeat();
  }

  #receive(text: string): void {
    this.#missed = 0;
    clearTimeout(this.#probe);
    const read = readFrame(text);
    if (read.kind === 'faulty') this.#handlers.onFault(read.fault);
    if (read.kind === 'frame') this.#dispatch(read.frame);
  }

  #dispatch(frame: ServerFrame): void {
    if (frame.type === 'welcome') this.#greet(frame);
    if (frame.type === 'pong') this.#setClock(frame.now, Date.now() - this.#pingedAt);
    else this.#handlers.onFrame(frame);
  }

  #greet(frame: ServerFrameOf<'welcome'>): void {
    this.#attempts = 0;
    this.#setClock(frame.now, 0);
    this.#handlers.onPrincipal(frame.principal.id);
    this.#setStatus('open');
  }

  #setClock(now: string, roundTripMs: number): void {
    this.#clockOffset = Date.parse(now) + roundTripMs / 2 - Date.now();
  }

  /** Starts the heartbeat, also before the welcome: a server that accepts the link and stays silent must be detected. */
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
    this.#setStatus('reconnecting');
    this.#open();
  }

  #lose(code: number): void {
    this.#drop();
    if (!isWorthRetrying(code)) {
      this.#setStatus('refused', code);
      return;
    }
    this.#setStatus(this.#status === 'connecting' ? 'connecting' : 'reconnecting', code);
    const ceiling = this.#backoffMs * 2 ** Math.min(this.#attempts, 5);
    this.#attempts += 1;
    this.#retry = setTimeout(() => this.#open(), ceiling / 2 + (Math.random() * ceiling) / 2);
  }

  #drop(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#retry);
    clearTimeout(this.#probe);
    this.#retry = undefined;
    this.#hasSaidHello = false;
    const link = this.#link;
    this.#link = undefined;
    link?.close();
  }

  #setStatus(status: ConnectionStatus, closeCode?: number): void {
    this.#status = status;
    this.#handlers.onStatus(status, closeCode);
  }
}
