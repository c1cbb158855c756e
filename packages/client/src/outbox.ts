import {
  burstSeconds,
  type ClientFrame,
  limits,
  RefusalError,
  type RequestFrame,
  type ServerFrame,
  TokenBucket,
  type WireErrorCode,
} from '@parleyhq/core';
import { makeId } from './id.ts';

type Unnumbered<T> = T extends unknown ? Omit<T, 'requestId'> : never;

/** A frame that asks for something; its `requestId` is given here. */
export type Request = Unnumbered<RequestFrame>;

interface Waiting {
  readonly frame: Request;
  /** Whether a line has taken it: one that broke then may have brought it to the server, or not. */
  wasSent: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The line broke before the reply: whether it happened is not known, and doing it again would not be safe. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';

  constructor() {
    super('The connection was lost before the server answered.');
  }
}

/** Asking these a second time does no harm: the same ids get the same reply (FRM6), or nothing is changed. */
const repeatable: ReadonlySet<Request['type']> = new Set([
  'user_message',
  'tool_interaction_response',
  'edit_queued',
  'remove_queued',
  'update_session',
  'set_interaction_mode',
  'list_sessions',
  'read_events',
  'list_grants',
]);

const retryMs = 400;

/** Refusals of what was not looked at: the same again may do. */
const later: ReadonlySet<string> = new Set(['retry_later', 'rate_limited']);

/** Below what a server takes: the rest is for what is told and not asked, as drafts and pings. */
const pace = { perSecond: 0.8 * limits.framesPerSecond, burst: (burstSeconds * limits.framesPerSecond) / 2 };

/**
 * Requests that wait for their reply. What may be repeated survives a broken line and is sent again with the same ids;
 * what the server puts off is sent again after a pause (INT10). However much waits, it leaves no faster than a server takes
 * it (SEC6).
 */
export class Outbox {
  readonly #send: (frame: ClientFrame) => boolean;
  readonly #waiting = new Map<string, Waiting>();
  /** What this line has not taken yet, in its order. */
  readonly #unsent = new Set<string>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #bucket = new TokenBucket(pace);
  #isPaused = false;

  constructor(send: (frame: ClientFrame) => boolean) {
    this.#send = send;
  }

  request(frame: Request): Promise<unknown> {
    return new Promise((resolve, reject) => this.#post({ frame, wasSent: false, resolve, reject }));
  }

  receive(reply: Extract<ServerFrame, { type: 'reply' }>): void {
    const waiting = this.#waiting.get(reply.requestId);
    if (!waiting) return;
    this.#forget(reply.requestId);
    if (reply.ok) waiting.resolve(reply.result);
    else if (later.has(reply.error.code)) this.#postLater(waiting);
    else waiting.reject(toRefusal(reply.error));
  }

  /** The line is open again: what waits goes out, in its order. */
  flush(): void {
    this.#unsent.clear();
    for (const requestId of this.#waiting.keys()) this.#unsent.add(requestId);
    this.#bucket = new TokenBucket(pace); // the server counts by line
    this.#isPaused = false;
    this.#transmit();
  }

  /** The line broke: what was sent and may not be repeated is over; what was never sent waits for the next line. */
  lose(): void {
    for (const [requestId, waiting] of this.#waiting) {
      if (!waiting.wasSent || repeatable.has(waiting.frame.type)) continue;
      this.#forget(requestId);
      waiting.reject(new ConnectionLostError());
    }
  }

  /** Nothing will be answered any more. */
  fail(error: Error): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#unsent.clear();
  }

  #post(waiting: Waiting): void {
    const requestId = makeId();
    this.#waiting.set(requestId, waiting);
    this.#unsent.add(requestId);
    this.#transmit();
  }

  #postLater(waiting: Waiting): void {
    this.#after(retryMs, () => this.#post(waiting));
  }

  #after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
  }

  #forget(requestId: string): void {
    this.#waiting.delete(requestId);
    this.#unsent.delete(requestId);
  }

  #transmit(): void {
    if (this.#isPaused) return;
    for (const requestId of this.#unsent) {
      const waiting = this.#waiting.get(requestId);
      this.#isPaused = !this.#bucket.take(performance.now());
      if (this.#isPaused || !waiting || !this.#send({ ...waiting.frame, requestId } as ClientFrame)) break;
      waiting.wasSent = true;
      this.#unsent.delete(requestId);
    }
    if (this.#isPaused) this.#goOnLater();
  }

  #goOnLater(): void {
    this.#after(this.#bucket.waitMs, () => {
      this.#isPaused = false;
      this.#transmit();
    });
  }
}

function toRefusal({ code, message, details }: { code: string; message: string; details?: unknown }): RefusalError {
  return new RefusalError(code as WireErrorCode, { message, details });
}
