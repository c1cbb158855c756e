import {
  burstSeconds,
  type ClientFrame,
  type Connection,
  type Credential,
  closeCodes,
  countFrame,
  type FrameBatch,
  type Limit,
  limits,
  ownerOf,
  protocolVersion,
  RefusalError,
  TokenBucket,
} from '@parleyhq/core';
import { Client, type Peer, refusalFrame, replyBatch, toRefusal } from '@parleyhq/runtime';
import type { Logger } from 'pino';
import type { Admission } from '../auth/auth.ts';
import type { Metrics } from '../extensions/telemetry/metrics.ts';
import { dispatch, isPaced } from './dispatch.ts';
import { PacedQueue } from './paced-queue.ts';
import { parseFrame, readNames } from './parse-frame.ts';
import type { ReadTurns } from './read-turns.ts';
import type { Services } from './services.ts';
import { makeWelcome, type WelcomeOptions } from './welcome.ts';

/** A new connection's peer and what is already known about it. */
export interface Arrival extends Peer {
  /** Admission by the cookie or bearer token of the upgrade request. */
  readonly admission: Admission | undefined;
  /** Whether its frames are paced where they come from, so that their rate is not limited again here. */
  readonly isPaced?: boolean;
  /** Called when its hello was accepted. */
  onAdmitted?(): void;
}

/** Time within which `hello` must arrive, in ms (FRM2). */
const helloMs = 5000;

/** How many bad frames a connection may send within the window, which is in ms (FRM1). */
const maxBadFrames = 20;
const badFrameWindowMs = 10_000;

/** Bytes allowed before the welcome: the hello, and after it what is buffered while its token is checked (SEC11). */
const unauthenticatedBytes = { silent: limits.helloBytes, greeting: limits.helloBytes + limits.frameBytes } as const;

export interface Credentials {
  /** Returns the principal a token admits; undefined for a wrong one. */
  check(token: string | undefined, address: string): Promise<Admission | undefined>;
  /** Whether a token or login is still valid. */
  isCurrent(credential: Credential): Promise<boolean>;
}

export interface GatewayOptions {
  readonly services: Services;
  readonly credentials: Credentials;
  readonly welcome: WelcomeOptions;
  readonly turns: ReadTurns;
  readonly watch: { readonly metrics: Metrics; readonly log: Logger };
}

type Hello = Extract<ClientFrame, { type: 'hello' }>;
type AfterHello = Exclude<ClientFrame, { type: 'hello' }>;

/** Phase of a connection; each may only change to one further down. */
type Phase =
  | { readonly name: 'silent'; readonly helloTimer: NodeJS.Timeout }
  /** `hello` is being checked; frames sent right after it wait unread. */
  | { readonly name: 'greeting'; readonly early: string[] }
  | { readonly name: 'admitted'; readonly client: Client; readonly paced: PacedQueue }
  | { readonly name: 'closed' };

/** Receives the replies to frames: results, or an `error`. */
export interface ReplySink {
  send(batch: FrameBatch): void;
  /** Whether it can buffer no more: then reads are rejected and may be repeated (SEC11). */
  readonly isFull: boolean;
}

/**
 * Entry point of one connection: parses bytes into typed frames, requires `hello` first, and rejects everything else with a code.
 */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #connection: Connection;
  readonly #arrival: Arrival;
  readonly #badFrames: number[] = [];
  readonly #bucket: TokenBucket;
  readonly #overConnection: ReplySink = { send: (batch) => this.#connection.send(batch), isFull: false };
  #strangeBytes = 0;
  #phase: Phase;

  constructor(options: GatewayOptions, connection: Connection, arrival: Arrival) {
    this.#options = options;
    this.#connection = connection;
    this.#arrival = arrival;
    const { framesPerSecond: perSecond } = options.welcome.about;
    this.#bucket = new TokenBucket({ perSecond, burst: perSecond * burstSeconds });
    const helloTimer = setTimeout(() => this.#close(closeCodes.helloTimeout, 'hello did not come'), helloMs);
    this.#phase = { name: 'silent', helloTimer };
  }

  /** Whether no `hello` has arrived yet. */
  get isSilent(): boolean {
    return this.#phase.name === 'silent';
  }

  /**
   * Receives a frame. It is counted before it is read; before `hello` the first bad frame closes the connection (SEC11).
   * @param sink - receives the reply; the connection by default
   * @returns a promise that resolves once the frame is handled; undefined if it was handled at once
   */
  receive(data: string | Buffer, isBinary = false, sink: ReplySink = this.#overConnection): Promise<void> | undefined {
    const phase = this.#phase;
    if (phase.name === 'closed') return undefined;
    const bytes = Buffer.byteLength(data);
    const isInTime = this.#arrival.isPaced || this.#bucket.take(performance.now(), countFrame(bytes));
    const isUnauthenticated = phase.name === 'silent' || phase.name === 'greeting';
    if (isUnauthenticated) this.#strangeBytes += bytes;
    const text = () => (isBinary ? '' : String(data));
    if (isUnauthenticated && this.#strangeBytes > unauthenticatedBytes[phase.name])
      this.rejectUnauthenticated('helloBytes');
    else if (phase.name === 'silent' && !isInTime) this.rejectUnauthenticated('framesPerSecond');
    else if (!isInTime) this.#refuseEarly(readNames(text()), sink);
    else if (phase.name === 'greeting') phase.early.push(text());
    else return this.#handleText(text(), sink);
    return undefined;
  }

  /** Closes a connection that sends more before its welcome than a client needs to. */
  rejectUnauthenticated(limit: Limit): void {
    this.#options.watch.metrics.reached(limit);
    this.#close(closeCodes.tooManyBadFrames, 'too much before the welcome');
  }

  #handleText(text: string, sink: ReplySink): Promise<void> | undefined {
    const parsed = parseFrame(text);
    if (parsed.limit) this.#options.watch.metrics.reached(parsed.limit);
    if (parsed.refusal) this.#refuseFrame(parsed.refusal, parsed, sink);
    else if (parsed.frame.type === 'hello') this.#greet(parsed.frame, sink);
    else return this.#take(parsed.frame, sink);
    return undefined;
  }

  /** Counts a control frame, which is answered below the protocol, like any other. Returns whether to answer it. */
  take(): boolean {
    if (this.#phase.name === 'closed') return false;
    if (this.#bucket.take(performance.now())) return true;
    if (this.isSilent) {
      this.rejectUnauthenticated('framesPerSecond');
      return false;
    }
    this.#options.watch.metrics.reached('framesPerSecond');
    this.#refuseFrame(new RefusalError('rate_limited'), { requestId: undefined, isHello: false }, this.#overConnection);
    return false;
  }

  /** Cleans up after the connection was lost or closed. */
  disconnect(): void {
    const last = this.#phase;
    this.#phase = { name: 'closed' };
    if (last.name === 'silent') clearTimeout(last.helloTimer);
    if (last.name !== 'admitted') return;
    const { presence, quotas } = this.#options.services;
    quotas.leave(last.client.principal);
    presence.disconnect(last.client);
    last.client.leave();
  }

  #take(frame: AfterHello, sink: ReplySink): Promise<void> | undefined {
    const phase = this.#phase;
    switch (phase.name) {
      case 'silent': // before hello nothing is answered (FRM2)
      case 'greeting': // later frames wait unread
      case 'closed':
        return undefined;
      case 'admitted': {
        const handle = () => this.#handle(phase.client, frame, sink);
        if (frame.type === 'ping' || !isPaced(frame.type)) return handle();
        const read = async () => (sink.isFull ? this.#refuseFull(frame, sink) : handle());
        const handling = phase.paced.add(read);
        if (!handling) this.#refuseEarly(frame, sink);
        return handling;
      }
      default:
        return phase satisfies never;
    }
  }

  #greet(hello: Hello, sink: ReplySink): void {
    if (this.#phase.name !== 'silent') {
      sink.send(refusalFrame(new RefusalError('already_greeted'), undefined));
      return;
    }
    if (hello.protocol !== protocolVersion) {
      this.#refuse(new RefusalError('unsupported_protocol', { details: { spoken: [protocolVersion] } }));
      this.#close(closeCodes.upgradeRequired, 'reload to update');
      return;
    }
    clearTimeout(this.#phase.helloTimer);
    const early: string[] = [];
    this.#phase = { name: 'greeting', early };
    this.#admit(hello, early).catch((error: unknown) => this.#fail(error));
  }

  async #admit(hello: Hello, early: readonly string[]): Promise<void> {
    const { services, credentials, welcome } = this.#options;
    const { admission: known, address } = this.#arrival;
    // A token in the hello takes precedence over the log-in cookie of the browser: an element embedded in another page uses one
    // (TRN3).
    const admission = hello.token === undefined && known ? known : await credentials.check(hello.token, address);
    if (!admission) return this.#turnAway();
    const { principal, credential } = admission;
    const greet = await makeWelcome(welcome, principal, this.#connection.id);
    if (!(await credentials.isCurrent(credential))) return this.#turnAway(); // the upgrade may have been long before this hello
    if (this.#phase.name !== 'greeting') return; // the connection was lost
    services.quotas.enter(principal);
    const connection = this.#options.turns.pace(this.#connection, ownerOf(principal));
    const client = new Client(connection, {
      clientId: hello.clientId ?? this.#connection.id,
      principal,
      credential,
      label: hello.label,
      peer: this.#arrival,
      expel: (reason) => this.#close(closeCodes.unauthorised, reason),
      interaction: hello.interaction,
    });
    const paced = new PacedQueue(connection, welcome.about.framesPerSecond * burstSeconds);
    this.#phase = { name: 'admitted', client, paced };
    this.#arrival.onAdmitted?.();
    services.presence.connect(client);
    client.send(greet());
    services.claims.tellAll(client);
    for (const text of early) void this.#handleText(text, this.#overConnection);
  }

  #turnAway(): void {
    this.#refuse(new RefusalError('unauthorised'));
    this.#close(closeCodes.unauthorised, 'a valid token is needed');
  }

  /** Closes the connection after an error, because without a welcome it is useless. */
  #fail(error: unknown): void {
    const refusal = toRefusal(error);
    if (refusal.code === 'internal') this.#options.watch.log.error({ error }, 'a hello could not be handled');
    this.#refuse(refusal);
    const isTooMuch = refusal.code === 'rate_limited';
    this.#close(isTooMuch ? closeCodes.tooManyBadFrames : closeCodes.serverError, refusal.message);
  }

  async #handle(client: Client, frame: AfterHello, sink: ReplySink): Promise<void> {
    if (this.#phase.name === 'closed') return;
    const { services, welcome, watch } = this.#options;
    if (frame.type === 'ping') return client.send({ type: 'pong', now: new Date(welcome.node.now()).toISOString() });
    const { requestId } = frame;
    try {
      const result = await dispatch(services, client, frame);
      if (requestId !== undefined) sink.send(replyBatch(requestId, result));
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal.code === 'internal') watch.log.error({ error, frame: frame.type }, 'a frame could not be handled');
      sink.send(refusalFrame(refusal, requestId));
    }
  }

  /** Rejects a frame that exceeds the rate; it may be sent again (SEC6). Only its name was read, for the reply. */
  #refuseEarly(
    { requestId, isHello = false }: { requestId?: string | undefined; isHello?: boolean },
    sink: ReplySink,
  ): void {
    this.#options.watch.metrics.reached('framesPerSecond');
    this.#refuseFrame(new RefusalError('rate_limited'), { requestId, isHello }, sink);
  }

  /** Rejects a frame whose reply does not fit into the sink; it may be sent again and does not count as bad. */
  #refuseFull({ requestId }: { requestId?: string | undefined }, sink: ReplySink): void {
    this.#options.watch.metrics.reached('framesPerSecond');
    sink.send(refusalFrame(new RefusalError('rate_limited'), requestId));
  }

  /** Rejects a bad frame. The connection stays open unless there are too many of them (FRM1). */
  #refuseFrame(
    refusal: RefusalError,
    { requestId, isHello }: { requestId: string | undefined; isHello: boolean },
    sink: ReplySink,
  ): void {
    const now = performance.now();
    this.#badFrames.push(now);
    while ((this.#badFrames[0] ?? now) < now - badFrameWindowMs) this.#badFrames.shift();
    if (this.#badFrames.length > maxBadFrames) {
      this.#close(closeCodes.tooManyBadFrames, 'too many bad frames');
      return;
    }
    if (this.#phase.name === 'silent' && !isHello) return; // before hello nothing is answered (FRM2)
    sink.send(refusalFrame(refusal, requestId));
  }

  /** Sends the reason why there is no welcome. */
  #refuse(refusal: RefusalError): void {
    this.#connection.send(refusalFrame(refusal, undefined));
  }

  #close(code: (typeof closeCodes)[keyof typeof closeCodes], reason: string): void {
    if (this.#phase.name === 'closed') return;
    this.#options.watch.metrics.connectionsDropped.inc({ reason: String(code) });
    this.#connection.close(code, reason);
    this.disconnect();
  }
}
