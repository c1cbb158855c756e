import {
  burstSeconds,
  type ClientFrame,
  type Connection,
  closeCodes,
  limits,
  type Principal,
  protocolVersion,
  RefusalError,
  TokenBucket,
} from '@parleyhq/core';
import type { SessionHub } from '../hub/hub.ts';
import type { Metrics } from '../log/metrics.ts';
import { toRefusal } from '../session/storage-refusal.ts';
import { Client, type Place } from '../tabs/client.ts';
import { dispatch } from './dispatch.ts';
import { type Parsed, parseFrame } from './parse-frame.ts';

/** Whom a token names; undefined for a wrong one. */
export type CheckToken = (token: string | undefined, address: string) => Promise<Principal | undefined>;

/** How a connection came in. */
export interface Arrival extends Place {
  /** Whom the upgrade's cookie or bearer token named already. */
  readonly principal: Principal | undefined;
}

/** `hello` must come within this time (FRM2). */
const helloMs = 5000;

/** Bad frames that a connection survives within the window (FRM1). */
const maxBadFrames = 20;
const badFrameWindowMs = 10_000;

export interface GatewayOptions {
  readonly hub: SessionHub;
  readonly metrics: Metrics;
  readonly checkToken: CheckToken;
  /** Whether what named a principal still does. */
  readonly isCurrent: (principal: Principal) => Promise<boolean>;
  readonly version: string;
  /** What a connection may send, steadily (SEC6). */
  readonly framesPerSecond: number;
}

type AfterHello = Exclude<ClientFrame, { type: 'hello' }>;

/** One connection's way in: bytes to typed frames, `hello` first, a coded refusal for everything else. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #connection: Connection;
  readonly #arrival: Arrival;
  readonly #badFrames: number[] = [];
  readonly #bucket: TokenBucket;
  #helloTimer: NodeJS.Timeout | undefined;
  #hasGreeted = false;
  #isClosed = false;
  #client: Client | undefined;
  /** Sent right behind `hello`: handled when it is through. */
  #early: AfterHello[] = [];

  constructor(options: GatewayOptions, connection: Connection, arrival: Arrival) {
    this.#options = options;
    this.#connection = connection;
    this.#arrival = arrival;
    const { framesPerSecond: perSecond } = options;
    this.#bucket = new TokenBucket({ perSecond, burst: perSecond * burstSeconds });
    this.#helloTimer = setTimeout(() => this.#close(closeCodes.helloTimeout, 'hello did not come'), helloMs);
  }

  /** A text frame came. */
  receive(text: string): void {
    if (this.#isClosed) return;
    const parsed = this.#read(text);
    if (parsed.limit) this.#options.metrics.reached(parsed.limit);
    if (parsed.refusal) {
      this.#refuseFrame(parsed.refusal, parsed);
      return;
    }
    const { frame } = parsed;
    if (frame.type === 'hello') this.#greet(frame).catch((error: unknown) => this.#fail(error));
    else if (this.#client) void this.#handle(this.#client, frame);
    else if (this.#hasGreeted) this.#early.push(frame); // before hello nothing is answered (FRM2)
  }

  /** Whether a control frame, which is answered below the protocol, may have its answer: it counts like any other. */
  take(): boolean {
    if (this.#isClosed) return false;
    if (this.#bucket.take(performance.now())) return true;
    this.#options.metrics.reached('framesPerSecond');
    this.#refuseFrame(new RefusalError('rate_limited'), { requestId: undefined, isHello: false });
    return false;
  }

  /** The link is gone. */
  async leave(): Promise<void> {
    if (this.#isClosed && !this.#client) return;
    this.#isClosed = true;
    clearTimeout(this.#helloTimer);
    const client = this.#client;
    this.#client = undefined;
    if (client) await this.#options.hub.dismiss(client);
  }

  async #greet(frame: Extract<ClientFrame, { type: 'hello' }>): Promise<void> {
    if (this.#hasGreeted) return this.#send(new RefusalError('already_greeted'), undefined);
    if (frame.protocol !== protocolVersion) {
      this.#send(new RefusalError('unsupported_protocol', { details: { spoken: [protocolVersion] } }), undefined);
      return this.#close(closeCodes.upgradeRequired, 'reload to update');
    }
    this.#hasGreeted = true;
    const { principal: known, address } = this.#arrival;
    const principal = known ?? (await this.#options.checkToken(frame.token, address));
    clearTimeout(this.#helloTimer);
    if (!principal) return this.#turnAway();
    if (!this.#isClosed) await this.#admit(frame, principal);
  }

  #turnAway(): void {
    this.#send(new RefusalError('unauthorised'), undefined);
    this.#close(closeCodes.unauthorised, 'a valid token is needed');
  }

  async #admit(frame: Extract<ClientFrame, { type: 'hello' }>, principal: Principal): Promise<void> {
    const { hub, version } = this.#options;
    const { store, agents, now } = hub.runtime;
    const sessions = await hub.list(principal, { limit: 100 });
    if (!(await this.#options.isCurrent(principal))) return this.#turnAway(); // it may have been named long before this hello
    if (this.#isClosed) return;
    const client = new Client(this.#connection, {
      clientId: frame.clientId ?? this.#connection.id,
      principal,
      label: frame.label,
      place: this.#arrival,
      expel: (reason) => this.#close(closeCodes.unauthorised, reason),
      interaction: frame.interaction,
    });
    this.#client = client;
    hub.admit(client);
    client.send({
      type: 'welcome',
      protocol: protocolVersion,
      connectionId: this.#connection.id,
      epoch: store.epoch,
      now: new Date(now()).toISOString(),
      server: { name: 'parley', version },
      principal: { ...principal },
      agents: agents
        .list()
        .map(({ name, description }) => ({ name, ...(description !== undefined && { description }) })),
      sessions: [...sessions],
      open: hub.listOpen(principal).map((entry) => ({ ...entry })),
      limits: { ...limits, framesPerSecond: this.#options.framesPerSecond },
    });
    for (const early of this.#early.splice(0)) void this.#handle(client, early);
  }

  /** Without a welcome there is no use in staying. */
  #fail(error: unknown): void {
    const refusal = toRefusal(error);
    if (refusal.code === 'internal') this.#options.hub.runtime.log.error({ error }, 'a hello could not be handled');
    this.#send(refusal, undefined);
    this.#close(
      refusal.code === 'rate_limited' ? closeCodes.tooManyBadFrames : closeCodes.serverError,
      refusal.message,
    );
  }

  async #handle(client: Client, frame: AfterHello): Promise<void> {
    const { hub, metrics } = this.#options;
    if (frame.type === 'ping') return client.send({ type: 'pong', now: new Date(hub.runtime.now()).toISOString() });
    const { requestId } = frame;
    try {
      const result = await dispatch(hub, metrics, client, frame);
      if (requestId !== undefined)
        client.send({ type: 'reply', requestId, ok: true, ...(result !== undefined && { result }) });
    } catch (error) {
      if (!(error instanceof RefusalError))
        hub.runtime.log.error({ error, frame: frame.type }, 'a frame could not be handled');
      client.refuse(toRefusal(error), requestId);
    }
  }

  /** Nothing of what comes too early is done: it may be sent again (SEC6). */
  #read(text: string): Parsed {
    const { requestId, isHello, ...read } = parseFrame(text);
    if (this.#bucket.take(performance.now())) return { requestId, isHello, ...read };
    return { requestId, isHello, refusal: new RefusalError('rate_limited'), limit: 'framesPerSecond' };
  }

  /** The connection lives on, unless it makes a habit of it (FRM1). */
  #refuseFrame(
    refusal: RefusalError,
    { requestId, isHello }: { requestId: string | undefined; isHello: boolean },
  ): void {
    const now = performance.now();
    this.#badFrames.push(now);
    while ((this.#badFrames[0] ?? now) < now - badFrameWindowMs) this.#badFrames.shift();
    if (this.#badFrames.length > maxBadFrames) {
      this.#close(closeCodes.tooManyBadFrames, 'too many bad frames');
      return;
    }
    if (!this.#hasGreeted && !isHello) return; // before hello nothing is answered (FRM2)
    this.#send(refusal, requestId);
  }

  #send(refusal: RefusalError, requestId: string | undefined): void {
    const error = refusal.toWire();
    const frame =
      requestId === undefined ? { type: 'error', ...error } : { type: 'reply', requestId, ok: false, error };
    this.#connection.send({ texts: [JSON.stringify(frame)] });
  }

  #close(code: (typeof closeCodes)[keyof typeof closeCodes], reason: string): void {
    if (this.#isClosed) return;
    clearTimeout(this.#helloTimer);
    this.#options.metrics.connectionsDropped.inc({ reason: String(code) });
    this.#connection.close(code, reason);
    void this.leave();
  }
}
