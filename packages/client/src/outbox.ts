import { type ClientFrame, RefusalError, type RequestFrame, type ServerFrame, type WireErrorCode } from '@parley/core';
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

/**
 * Requests that wait for their reply. What may be repeated survives a broken line and is sent again with the same ids;
 * `retry_later` is sent again after a pause (INT10).
 */
export class Outbox {
  readonly #send: (frame: ClientFrame) => boolean;
  readonly #waiting = new Map<string, Waiting>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  constructor(send: (frame: ClientFrame) => boolean) {
    this.#send = send;
  }

  request(frame: Request): Promise<unknown> {
    return new Promise((resolve, reject) => this.#post({ frame, wasSent: false, resolve, reject }));
  }

  receive(reply: Extract<ServerFrame, { type: 'reply' }>): void {
    const waiting = this.#waiting.get(reply.requestId);
    if (!waiting) return;
    this.#waiting.delete(reply.requestId);
    if (reply.ok) waiting.resolve(reply.result);
    else if (reply.error.code === 'retry_later') this.#postLater(waiting);
    else waiting.reject(toRefusal(reply.error));
  }

  /** The line is open again: what waits goes out, in its order. */
  flush(): void {
    for (const [requestId, waiting] of this.#waiting) this.#transmit(requestId, waiting);
  }

  /** The line broke: what was sent and may not be repeated is over; what was never sent waits for the next line. */
  lose(): void {
    for (const [requestId, waiting] of this.#waiting) {
      if (!waiting.wasSent || repeatable.has(waiting.frame.type)) continue;
      this.#waiting.delete(requestId);
      waiting.reject(new ConnectionLostError());
    }
  }

  /** Nothing will be answered any more. */
  fail(error: Error): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #post(waiting: Waiting): void {
    const requestId = makeId();
    this.#waiting.set(requestId, waiting);
    this.#transmit(requestId, waiting);
  }

  #postLater(waiting: Waiting): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#post(waiting);
    }, retryMs);
    this.#timers.add(timer);
  }

  #transmit(requestId: string, waiting: Waiting): void {
    if (this.#send({ ...waiting.frame, requestId } as ClientFrame)) waiting.wasSent = true;
  }
}

function toRefusal({ code, message, details }: { code: string; message: string; details?: unknown }): RefusalError {
  return new RefusalError(code as WireErrorCode, { message, details });
}
