import {
  burstSeconds,
  type ClientFrame,
  countFrame,
  isRecord,
  limits,
  RefusalError,
  type RequestFrame,
  type ServerFrame,
  TokenBucket,
  type WireError,
  type WireErrorCode,
} from '@parleyhq/core';
import { makeId } from './id.ts';

type Unnumbered<T> = T extends unknown ? Omit<T, 'requestId'> : never;

/** A frame that gets a reply; `RequestQueue` adds its `requestId`. */
export type Request = Unnumbered<RequestFrame>;

/** Numbers of answers and messages from people that the server has not acknowledged. */
export interface Unsent {
  readonly answers: number;
  readonly messages: number;
}

interface Waiting {
  readonly frame: Request;
  /** How many tokens it takes from the rate limit's bucket. */
  readonly cost: number;
  /** The id of the principal who made the request; undefined before the first welcome. */
  readonly by: string | undefined;
  /** Whether it was sent. If the connection then broke, it may or may not have reached the server. */
  wasSent: boolean;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The connection broke before the reply: whether the request was carried out is unknown, and repeating it is not safe. */
export class ConnectionLostError extends Error {
  override readonly name = 'ConnectionLostError';

  constructor() {
    super('The connection was lost before the server answered.');
  }
}

/** Somebody else is logged in now: a request of one principal is never sent as another's (SEC4). */
export class OtherPrincipalError extends RefusalError {
  constructor() {
    super('unauthorised', { message: 'Somebody else has logged in here.' });
  }
}

/** Requests that are safe to repeat: the same ids get the same reply (FRM6), or nothing changes. */
const repeatable: ReadonlySet<Request['type']> = new Set([
  'user_message',
  'deny_open',
  'comment_interaction',
  'tool_interaction_response',
  'edit_queued',
  'remove_queued',
  'update_session',
  'set_interaction_mode',
  'list_sessions',
  'read_events',
  'list_grants',
  'list_open',
]);

/** Whether the request ends with the connection over which it was sent. */
const isOfConnection = ({ wasSent, frame }: Waiting): boolean => wasSent && !repeatable.has(frame.type);

const retryMs = 400;

/** The most bytes of a frame without its `requestId`, and the most characters that never exceed them (SEC6). */
const maxBytes = limits.frameBytes - 100;
const maxLength = maxBytes / 3;

/** Whether the same request may succeed in a moment. An exhausted quota takes longer (SEC11). */
function isRetryable({ code, details }: WireError): boolean {
  return code === 'retry_later' || (code === 'rate_limited' && !(isRecord(details) && 'limit' in details));
}

/** Asks the person for the token again, because the server requires it for a request (SEC9). @returns whether they entered it */
export type LogInAgain = () => Promise<boolean>;

/** Below the server's limit (SEC6): the rest is for frames without a reply, such as drafts and pings. */
const pace = { perSecond: 0.8 * limits.framesPerSecond, burst: (burstSeconds * limits.framesPerSecond) / 2 };

/**
 * Requests that have no reply yet. Those that are safe to repeat survive a lost connection and are sent again with the same
 * ids (FRM6); those that the server defers are sent again after a pause (INT10). Sends no faster than the server accepts (SEC6).
 */
export class RequestQueue {
  readonly #send: (frame: ClientFrame) => boolean;
  readonly #logInAgain: LogInAgain | undefined;
  readonly #waiting = new Map<string, Waiting>();
  /** Ids of the requests that were not sent over the current connection yet, in order. */
  readonly #unsent = new Set<string>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #bucket = new TokenBucket(pace);
  #isPaused = false;
  #principal: string | undefined;

  constructor(send: (frame: ClientFrame) => boolean, logInAgain?: LogInAgain) {
    this.#send = send;
    this.#logInAgain = logInAgain;
  }

  /** The id of the principal that the last welcome named. */
  get principal(): string | undefined {
    return this.#principal;
  }

  /** Counts the answers and messages of people that have no reply yet. */
  countUnsent(): Unsent {
    const types = [...this.#waiting.values()].map(({ frame }) => frame.type);
    const count = (...wanted: readonly Request['type'][]) => types.filter((type) => wanted.includes(type)).length;
    return {
      answers: count('tool_interaction_response'),
      messages: count('user_message', 'deny_open', 'comment_interaction'),
    };
  }

  /** Call with each welcome, before anything is sent: rejects the requests of another principal (SEC4). */
  greet(principal: string): void {
    this.#principal = principal;
    for (const [requestId, waiting] of this.#waiting) {
      if (!this.#isOfOther(waiting)) continue;
      this.#forget(requestId);
      waiting.reject(new OtherPrincipalError());
    }
  }

  /**
   * Sends a request as soon as possible.
   * @param by - the id of the principal whose request it is
   * @returns the result of the reply
   * @throws RefusalError the server refused, or the request is too large for a frame (`bad_frame`)
   * @throws OtherPrincipalError another principal was logged in before it could be sent
   * @throws ConnectionLostError the connection broke and the request is not safe to repeat
   */
  request(frame: Request, by = this.#principal): Promise<unknown> {
    const text = JSON.stringify(frame);
    if (text.length > maxLength && countBytes(text) > maxBytes) return Promise.reject(tooLarge());
    // Counts characters instead of bytes: the pace leaves enough room for the difference.
    const cost = countFrame(text.length);
    return new Promise((resolve, reject) => this.#post({ frame, cost, by, wasSent: false, resolve, reject }));
  }

  /** Settles the request that a reply belongs to, or schedules it again. */
  receive(reply: Extract<ServerFrame, { type: 'reply' }>): void {
    const waiting = this.#waiting.get(reply.requestId);
    if (!waiting) return;
    this.#forget(reply.requestId);
    if (reply.ok) waiting.resolve(reply.result);
    else if (isRetryable(toRefusal(reply.error))) this.#postLater(waiting);
    else if (reply.error.code === 'login_again') this.#hold(waiting, toRefusal(reply.error));
    else waiting.reject(toRefusal(reply.error));
  }

  /** Call when the connection is open: sends everything that has no reply, in order, except what followed the hello. */
  flush(): void {
    this.#unsent.clear();
    for (const [requestId, waiting] of this.#waiting) if (!isOfConnection(waiting)) this.#unsent.add(requestId);
    this.#bucket = new TokenBucket(pace); // the server counts per connection
    this.#isPaused = false;
    this.#transmit();
  }

  /** Call when the connection broke: rejects what was sent and is not safe to repeat, and keeps the rest. */
  lose(): void {
    for (const [requestId, waiting] of this.#waiting) {
      if (!isOfConnection(waiting)) continue;
      this.#forget(requestId);
      waiting.reject(new ConnectionLostError());
    }
  }

  /** Rejects everything: there will be no more replies. */
  fail(error: Error): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#unsent.clear();
  }

  #isOfOther({ by }: Waiting): boolean {
    return by !== undefined && this.#principal !== undefined && by !== this.#principal;
  }

  #post(waiting: Waiting): void {
    if (this.#isOfOther(waiting)) {
      waiting.reject(new OtherPrincipalError());
      return;
    }
    const requestId = makeId();
    this.#waiting.set(requestId, waiting);
    this.#unsent.add(requestId);
    this.#transmit();
  }

  /** Sends the request again after the person has entered the token: the server has stored nothing of it (SEC9). */
  #hold(waiting: Waiting, refusal: RefusalError): void {
    const shown = this.#logInAgain?.() ?? Promise.resolve(false);
    shown.then(
      (isShown) => (isShown ? this.#post(waiting) : waiting.reject(refusal)),
      () => waiting.reject(refusal),
    );
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
      this.#isPaused = !this.#bucket.take(performance.now(), waiting?.cost ?? 1);
      if (this.#isPaused || !waiting || !this.#send({ ...waiting.frame, requestId } as ClientFrame)) break;
      waiting.wasSent = true;
      this.#unsent.delete(requestId);
    }
    if (this.#isPaused) this.#resumeLater();
  }

  #resumeLater(): void {
    this.#after(this.#bucket.waitMs, () => {
      this.#isPaused = false;
      this.#transmit();
    });
  }
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

function tooLarge(): RefusalError {
  const message = `This is too large to send: a frame may have ${limits.frameBytes / 1024} KiB.`;
  return new RefusalError('bad_frame', { message });
}

function toRefusal({ code, message, details }: { code: string; message: string; details?: unknown }): RefusalError {
  return new RefusalError(code as WireErrorCode, { message, details });
}
