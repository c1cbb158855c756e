import { once } from 'node:events';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { closeCodes, type Epoch, limits, type Principal, wireErrors } from '@parleyhq/core';
import {
  disposePlugins,
  makePluginLog,
  newId,
  type PlacedSocket,
  placeDoors,
  placeSockets,
  type SessionHub,
  setUpPlugins,
  toRefusal,
  ViewRegistry,
} from '@parleyhq/runtime';
import type { Logger } from 'pino';
import { type Admission, makeToken } from './auth/auth.ts';
import { type Authenticate, admitEmbedded } from './auth/embedder.ts';
import { makeOidc } from './auth/oidc/oidc.ts';
import { nameLoopback } from './auth/passkeys/host-name.ts';
import { PasskeyDesk } from './auth/passkeys/passkey-desk.ts';
import { TokenWatch } from './auth/token-watch.ts';
import { compose, type ServerParts } from './compose.ts';
import { connectDirect, type DirectHandlers, type DirectLink } from './connection/transport/direct.ts';
import { HttpTransport } from './connection/transport/http.ts';
import { WsTransport } from './connection/transport/ws.ts';
import type { Metrics } from './extensions/telemetry/metrics.ts';
import { nameCookie, readCookies } from './http/cookies.ts';
import { proveIdentity } from './http/identity.ts';
import { OpenResponses } from './http/open-responses.ts';
import {
  classifyOrigin,
  explainRefusal,
  makeOriginPolicy,
  type OriginPolicy,
  readOriginHeaders,
} from './http/origin.ts';
import { readBearer } from './http/request.ts';
import { makeHttp } from './http/routes.ts';
import { requireSafeAddress } from './http/safe-address.ts';
import { type HostServer, shareServer } from './http/shared-server.ts';
import { StorageProbe } from './http/storage-probe.ts';
import { refuse, UnadmittedSockets } from './http/unadmitted-sockets.ts';
import type { ServerOptions } from './server-options.ts';

/** Limits in ms for a request to arrive; a client that connects and sends nothing is cut off (SEC11). */
const httpTimes = { headersTimeout: 10_000, requestTimeout: 30_000, connectionsCheckingInterval: 2000 };

/** Minimum time, in ms, for plugins to release resources even if running calls used up the time to stop. */
const leastDisposeMs = 1000;

/** A Parley server; it serves after `listen` or `mount`. */
export class ParleyServer {
  /** Every HTTP route of the router. Host and Origin are checked before each of them (SEC3). */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  /** Names of the extensions that follow each commit, in their order. */
  readonly followers: readonly string[];
  readonly #options: ServerOptions;
  readonly #parts: ServerParts;
  readonly #http: Server;
  readonly #answer: (request: IncomingMessage, response: ServerResponse) => void;
  readonly #stopMs: number;
  readonly #ws: WsTransport;
  readonly #streams: HttpTransport;
  readonly #sockets: ReadonlyMap<string, PlacedSocket>;
  readonly #tokens: TokenWatch;
  readonly #unadmitted: UnadmittedSockets;
  #origins: OriginPolicy = { hosts: new Set(), pageHosts: new Set(), origins: new Set(), mayBeFramed: false };
  #port = 0;
  #mountPath = '';
  #isReady = false;
  #leaveHost: () => void = () => {};
  readonly #responses = new OpenResponses();
  /** The database was replaced: the state in memory is stale. */
  #isReplaced = false;
  /**
   * Resolves once the database was replaced by another: the state in memory is stale, and nothing more is stored. Close this
   * server and create another on the store opened anew, which has a new epoch (RPL2).
   */
  readonly replaced: Promise<void>;

  /** @throws Error that names both plugins or agents if two of them conflict */
  constructor(options: ServerOptions) {
    requirePeople(options);
    const parts = compose(options);
    const { auth, metrics, log, clients, gateway, node, durations, programs, notifications } = parts;
    this.#options = options;
    this.#parts = parts;
    this.followers = parts.extensions.filter(({ follow }) => follow).map(({ name }) => name);
    this.replaced = (options.store.shared?.replaced ?? new Promise<void>(() => undefined)).then(() => {
      this.#isReplaced = true;
      this.log.error(
        'the database is not the one that this node knew: it was restored, or a standby took over. State in memory is dropped',
      );
    });
    this.#tokens = new TokenWatch([clients, programs.requests.holders, notifications.devices.targets], auth, log);
    this.#stopMs = durations.stopMs;
    this.#ws = new WsTransport(gateway, durations);
    this.#streams = new HttpTransport(gateway, durations);
    this.#sockets = placeSockets(options.plugins ?? []);
    const probe = new StorageProbe(options.store, () => node.now());
    const app = makeHttp({
      ...parts,
      connections: this.#streams,
      views: new ViewRegistry(options.plugins ?? []),
      index: options.store.index,
      audit: options.store.audit,
      receiptKey: options.receiptKey,
      oidc: options.oidc && makeOidc(options.oidc, options.store.tokens, () => node.now()),
      links: options.store.links,
      passkeys: new PasskeyDesk({
        ...{ passkeys: options.store.passkeys, auth, tickets: parts.tickets, now: () => node.now() },
        ...{ freshLoginMs: durations.freshLoginMs, frameAncestors: options.frameAncestors ?? [] },
      }),
      now: () => node.now(),
      authenticate: options.authenticate,
      assetsDir: options.assetsDir,
      frameAncestors: options.frameAncestors,
      version: options.version ?? '0.0.0',
      isSecure: options.isBehindProxy ?? false,
      origins: () => this.#origins,
      cookieName: () => this.#cookieName,
      mountPath: () => this.#mountPath,
      onAdmitted: (socket) => this.#unadmitted.admit(socket),
      findFault: async () => (this.#isReady ? probe.check() : 'stopped'),
      prove: (nonce) => {
        const { identityKey: key } = options;
        return key === undefined ? undefined : proveIdentity(key, { nonce, port: this.#port });
      },
      doors: placeDoors(options.plugins ?? []),
      policies: options.policies ?? [],
      logOf: (plugin) => makePluginLog(parts.log.child({ plugin }), parts.secrets),
    });
    this.routes = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => ({ method, path }));
    this.#answer = getRequestListener(app.fetch);
    this.#http = createHttpServer(httpTimes, this.#answer);
    this.#unadmitted = new UnadmittedSockets({
      max: options.unadmittedSockets ?? limits.unadmittedSockets,
      isBehindProxy: options.isBehindProxy ?? false,
      reached: (limit) => metrics.reached(limit),
    });
    this.#http.on('request', (_, response) => this.#responses.meet(response));
    this.#http.on('connection', (socket: Socket) => this.#unadmitted.meet(socket));
    this.#http.on('upgrade', (request, socket, head) => this.#takeUpgrade(request, socket, head));
    this.#http.on('clientError', (_, socket) => socket.destroy());
  }

  get hub(): SessionHub {
    return this.#parts.hub;
  }

  get metrics(): Metrics {
    return this.#parts.metrics;
  }

  /** The log, which contains no secrets and nothing that people typed (SEC8). */
  get log(): Logger {
    return this.#parts.log;
  }

  get epoch(): Epoch {
    return this.#options.store.epoch;
  }

  /** Number of prompts that can be answered now, over all sessions. */
  get openPrompts(): number {
    return this.#parts.inbox.size;
  }

  /**
   * Sets up the plugins, resumes unfinished work, then listens.
   * @returns the port
   * @throws Error if the address may not be served without a token and a proxy (SEC1), or is in use
   */
  async listen({ port, host }: { port: number; host: string }): Promise<number> {
    const { token, isBehindProxy: isProxied = false } = this.#options;
    requireSafeAddress({ host, token, isBehindProxy: isProxied });
    await this.#begin();
    const listening = new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(port, host, () => {
        this.#http.off('error', reject);
        resolve();
      });
    });
    await listening.catch(async (error: unknown) => {
      await this.#parts.starts.stop(); // the server is closed before any call was entered: do not count this as a failed start
      throw error;
    });
    await this.#serveAt((this.#http.address() as AddressInfo).port, host);
    return this.#port;
  }

  /** Like `listen`, but serves below a path of an HTTP server of the host application, which keeps all other requests (TRN3). */
  async mount(http: HostServer, path: string): Promise<void> {
    if (!/^(\/[^/?#]+)*$/.test(path))
      throw new Error(`${JSON.stringify(path)} is not a path to mount at: it should look like "/parley".`);
    await this.#begin();
    if (!http.listening) await once(http, 'listening');
    const { address: host, port } = http.address() as AddressInfo;
    await this.#serveAt(port, host, path);
    this.#leaveHost = shareServer(http, path, {
      request: (request, response) => {
        this.#responses.meet(response);
        this.#answer(request, response);
      },
      upgrade: (request, socket, head) => this.#takeUpgrade(request, socket, head),
    });
  }

  /**
   * Ends the connections, the waiting requests and the notifications of a principal, because only the embedding application knows
   * that its login ended (TRN3).
   */
  expel(principalId: string): void {
    const { clients, programs, notifications } = this.#parts;
    for (const holder of [...clients, ...programs.requests.holders, ...notifications.devices.targets])
      if (holder.principal.id === principalId) holder.expel('the log-in has ended');
  }

  async #begin(): Promise<void> {
    const { plugins = [], dataDir = tmpdir(), pluginConfigs: configs = {} } = this.#options;
    const { log, secrets, hub, membership, programs, durations, registry, reviewers, starts } = this.#parts;
    const state = this.#options.store.pluginState;
    const { setupTimeoutMs } = durations;
    await starts.begin();
    await setUpPlugins(plugins, { host: { state, log, secrets, registry }, dataDir, configs, setupTimeoutMs });
    await reviewers.open(this.#options.policies ?? []);
    await this.#parts.notifications.open(this.#options.policies ?? []);
    await membership.start();
    await hub.recover();
    await membership.join();
    await programs.calls.withdrawLost();
  }

  async #serveAt(port: number, host: string, path = ''): Promise<void> {
    this.#port = port;
    this.#mountPath = path;
    const { allowedOrigins = [], frameAncestors = [], isBehindProxy = false } = this.#options;
    const mayBeFramed = frameAncestors.length > 0;
    this.#origins = makeOriginPolicy({ host, port, isBehindProxy, allowedOrigins, mayBeFramed });
    const bound = host.includes(':') ? `[${host}]` : host;
    const name = this.#options.stepUp ? nameLoopback(bound) : bound; // passkeys need a host name
    this.#parts.notifications.listensAt(`http://${name}:${port}${path}`);
    await this.#parts.notifications.start();
    this.#parts.retention.start();
    this.#parts.fileSweep.start();
    this.#isReady = true;
    this.#parts.starts.open();
  }

  /**
   * Creates a code that logs in one browser, once, with `POST /api/login` at any node. Undefined if everybody is admitted (SEC2).
   * @throws StoreError `failed` if the code could not be shared with the other nodes
   */
  async makeLoginCode(): Promise<string | undefined> {
    const { auth } = this.#parts;
    return auth.isOpen ? undefined : auth.makeCode();
  }

  /** An in-process connection: the same frames without a socket (TRN1). */
  connect(handlers: DirectHandlers, principal?: Principal): DirectLink {
    return connectDirect(this.#parts.gateway, newId(), handlers, principal);
  }

  /**
   * Stops accepting requests, asks clients to reconnect later and gives running work time to finish; nothing is cancelled (OPS3).
   * If the database was replaced, nothing can be stored, so running work is not awaited.
   */
  async close(): Promise<void> {
    const begun = performance.now();
    this.#isReady = false;
    this.#parts.stopping.abort();
    this.#tokens.stop();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    const left = this.#ws.close(closeCodes.restart);
    this.#streams.close(closeCodes.restart);
    if (!this.#isReplaced)
      await Promise.race([Promise.all([this.hub.quiesce(), this.#responses.ended()]), sleep(this.#stopMs)]);
    this.#leaveHost();
    this.#ws.terminate();
    this.#http.closeAllConnections();
    await Promise.all([left, closed]);
    await this.#parts.stop();
    const leftMs = this.#stopMs - (performance.now() - begun);
    await disposePlugins(this.#options.plugins ?? [], this.log, Math.max(leftMs, leastDisposeMs));
    await this.#options.store.close();
  }

  get #cookieName(): string {
    const { isBehindProxy = false, allowedOrigins = [] } = this.#options;
    return nameCookie({ port: this.#port, isBehindProxy, allowedOrigins });
  }

  #takeUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy()); // before anything is awaited: an unhandled error would end the process
    this.#upgrade(request, socket, head).catch((error: unknown) => this.#refuseUpgrade(socket, error));
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const headers = readOriginHeaders(request);
    const kind = classifyOrigin(this.#origins, headers);
    if (kind === 'refused') return refuse(socket, 403, 'Forbidden', explainRefusal(this.#origins, headers));
    const path = request.url?.split('?')[0] ?? '';
    const placed = this.#sockets.get(path);
    if (path !== '/ws' && !placed) return refuse(socket, 404, 'Not Found');
    const admission = await this.#admitUpgrade(request, kind === 'browser', placed !== undefined);
    const known = { admission, onAdmitted: () => this.#unadmitted.admit(socket) };
    if (!placed) return this.#ws.upgrade(request, socket, head, known);
    if (!admission) return refuse(socket, 401, 'Unauthorized', wireErrors.unauthorised);
    if (admission.principal.role === 'asker') return refuse(socket, 403, 'Forbidden', wireErrors.forbidden);
    const log = makePluginLog(this.log.child({ plugin: placed.plugin }), this.#parts.secrets);
    const pageUrl = this.#parts.notifications.baseUrl().replace(/\/+$/, '');
    this.#ws.upgrade(request, socket, head, known, { socket: placed.socket, log, pageUrl });
  }

  /** @param isLast - whether no `hello` with a token can follow, so that a server that admits everybody does it now */
  async #admitUpgrade(request: IncomingMessage, isBrowser: boolean, isLast: boolean): Promise<Admission | undefined> {
    const { auth } = this.#parts;
    const known = await admitEmbedded(this.#options.authenticate, request, { isOwnPage: isBrowser, auth });
    if (known) return known;
    const bearer = readBearer(request.headers.authorization);
    if (bearer !== undefined || (isLast && auth.isOpen))
      return auth.checkToken(bearer, 'bearer', request.socket.remoteAddress ?? '');
    return isBrowser ? auth.checkCookies(readCookies(request.headers.cookie, this.#cookieName)) : undefined;
  }

  #refuseUpgrade(socket: Duplex, error: unknown): void {
    const { code } = toRefusal(error);
    if (code !== 'rate_limited') this.log.error({ error }, 'an upgrade failed');
    if (code === 'rate_limited') refuse(socket, 429, 'Too Many Requests');
    else refuse(socket, 503, 'Service Unavailable');
  }
}

/** @throws Error if passkeys are demanded although anybody is admitted without a log-in (SIGN2) */
function requirePeople({ stepUp, token }: ServerOptions): void {
  if (stepUp && token === undefined)
    throw new Error('stepUp needs people who log in: it cannot be used by a server that admits everybody (--no-auth).');
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}

export interface EmbeddedOptions extends ServerOptions {
  /** Authenticates a request of the host application; besides it, only tokens from the store are accepted. */
  readonly authenticate: Authenticate;
}

/** A Parley server embedded in another process (TRN3). */
export interface EmbeddedServer {
  /**
   * Serves below a path of an HTTP server (plain Node, Express, Hono or others) and leaves all other requests to the listeners
   * that the server has at that time. Waits until that server listens.
   * @param path - default: `/parley`
   * @throws Error if a plugin cannot be set up, or the path does not begin with a slash
   */
  mount(server: HostServer, path?: string): Promise<void>;
  /** An in-process connection: the same frames without a socket (TRN1). */
  connect(handlers: DirectHandlers, principal?: Principal): DirectLink;
  /** Closes the connections of a principal, for example after a logout; a new connection calls `authenticate` again. */
  expel(principalId: string): void;
  /** Asks clients to reconnect later, lets running work finish, closes the store and detaches from the HTTP server. */
  close(): Promise<void>;
}

/**
 * Creates a Parley server embedded in this process.
 * @throws Error that names both plugins or agents if two of them conflict
 */
export function createServer(options: EmbeddedOptions): EmbeddedServer {
  if (typeof options.authenticate !== 'function') {
    throw new Error(
      'createServer: authenticate: must be a function of the request that returns { id, role } or undefined.',
    );
  }
  // without a token, everybody would be admitted
  const server = new ParleyServer({ ...options, token: options.token ?? makeToken() });
  return {
    mount: (http, path = '/parley') => server.mount(http, path),
    connect: (handlers, principal) => server.connect(handlers, principal),
    expel: (principalId) => server.expel(principalId),
    close: () => server.close(),
  };
}
