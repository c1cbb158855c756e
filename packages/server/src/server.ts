import { hash } from 'node:crypto';
import { createServer as createHttpServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import { type Agent, closeCodes, limits, type Plugin, type Principal, type Store } from '@parleyhq/core';
import { type Logger, pino } from 'pino';
import { demoAgent } from './agent/demo.ts';
import { Auth } from './auth/auth.ts';
import { TokenWatch } from './auth/token-watch.ts';
import { disposePlugins, setUpPlugins } from './call/plugin-host.ts';
import { explainRefusal, judgeOrigin, makeOriginPolicy, type OriginPolicy, readOriginHeaders } from './http/origin.ts';
import { makeHttp, readBearer } from './http/routes.ts';
import { requireSafeAddress } from './http/safe-address.ts';
import { StorageProbe } from './http/storage-probe.ts';
import { SessionHub } from './hub/hub.ts';
import { Metrics } from './log/metrics.ts';
import { makeSafeLog } from './log/safe-log.ts';
import { Secrets } from './log/secrets.ts';
import { type Durations, defaultDurations } from './runtime.ts';
import { newId } from './session/new-id.ts';
import { toRefusal } from './session/storage-refusal.ts';
import { AgentRegistry } from './tools/agent-registry.ts';
import { makeMatcher } from './tools/pattern-matcher.ts';
import type { Policy } from './tools/policy.ts';
import { ToolRegistry } from './tools/tool-registry.ts';
import { connectDirect, type DirectHandlers, type DirectLink } from './transport/direct.ts';
import { WsTransport } from './transport/ws.ts';

export interface ServerOptions {
  readonly store: Store;
  readonly plugins?: readonly Plugin[];
  /** Beside `demo` and the plugins' own. */
  readonly agents?: readonly Agent[];
  readonly defaultAgent?: string;
  readonly model?: string | undefined;
  /** Undefined lets everybody in, on loopback only (SEC2). */
  readonly token?: string | undefined;
  readonly allowedOrigins?: readonly string[];
  /** TLS ends in a proxy before this server (SEC1). */
  readonly isBehindProxy?: boolean;
  readonly assetsDir?: string | undefined;
  /** Where plugins get a folder each. */
  readonly dataDir?: string;
  /** Plugins' own settings, by plugin name. */
  readonly pluginConfigs?: Readonly<Record<string, unknown>>;
  /** What the gate allows, asks about and denies, whatever tools and modes say (APR3). */
  readonly policies?: readonly Policy[];
  readonly durations?: Partial<Durations>;
  /** What a connection may send steadily, and four times as much at once (SEC6); 50 unless said. */
  readonly framesPerSecond?: number;
  readonly log?: Logger;
  readonly version?: string;
  /** For tests: what the time is. */
  readonly now?: () => number;
}

/** How long running handlers get when the server stops (OPS3). */
const stopHandlersMs = 8000;

/** A Parley server; `listen` opens its doors. */
export class ParleyServer {
  readonly hub: SessionHub;
  readonly metrics: Metrics;
  /** Every HTTP route, as the router has it: Host and Origin are checked before each (SEC3). */
  readonly routes: readonly { readonly method: string; readonly path: string }[];
  readonly #options: ServerOptions;
  readonly #auth: Auth;
  readonly #http: Server;
  readonly #ws: WsTransport;
  readonly #tokens: TokenWatch;
  readonly #gateway;
  #origins: OriginPolicy = { hosts: new Set(), origins: new Set() };
  #port = 0;
  #isReady = false;

  /** @throws Error where plugins or agents do not go together, naming both */
  constructor(options: ServerOptions) {
    const now = options.now ?? Date.now;
    const secrets = new Secrets();
    if (options.token !== undefined) secrets.add(options.token);
    const log = makeSafeLog(options.log ?? pino({ level: 'silent' }), secrets);
    const plugins = options.plugins ?? [];
    const agents = [demoAgent, ...(options.agents ?? []), ...plugins.flatMap((plugin) => plugin.agents ?? [])];
    const { store, token } = options;
    this.#options = options;
    this.metrics = new Metrics(now);
    this.#auth = new Auth({ token, store, now, onWrong: (door) => this.metrics.wrongTokens.inc({ door }) });
    this.hub = new SessionHub(
      {
        store,
        nodeId: newId(),
        log,
        secrets,
        durations: { ...defaultDurations, ...options.durations },
        tools: new ToolRegistry(plugins),
        policies: options.policies ?? [],
        agents: new AgentRegistry(agents, {
          defaultName: options.defaultAgent ?? demoAgent.name,
          model: options.model,
        }),
        matches: makeMatcher(() => this.metrics.reached('patternMs')),
        startedAt: performance.now(),
        now,
        newId,
        hash: (text) => hash('sha256', text),
      },
      this.metrics,
    );
    this.#tokens = new TokenWatch(this.hub.clients, this.#auth, log);
    this.#gateway = {
      hub: this.hub,
      metrics: this.metrics,
      checkToken: (given: string | undefined, address: string) => this.#auth.checkToken(given, 'hello', address),
      isCurrent: (principal: Principal) => this.#auth.isCurrent(principal),
      version: options.version ?? '0.0.0',
      framesPerSecond: options.framesPerSecond ?? limits.framesPerSecond,
    };
    this.#ws = new WsTransport(this.#gateway, newId);
    const probe = new StorageProbe(store, now);
    const app = makeHttp({
      auth: this.#auth,
      metrics: this.metrics,
      origins: () => this.#origins,
      assetsDir: options.assetsDir,
      findFault: async () => (this.#isReady ? probe.check() : 'stopped'),
      cookieName: () => this.#cookieName,
      isSecure: options.isBehindProxy ?? false,
      log,
    });
    this.routes = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => ({ method, path }));
    this.#http = createHttpServer(getRequestListener(app.fetch));
    this.#http.on('upgrade', (request, socket, head) => {
      socket.on('error', () => socket.destroy()); // before anything is awaited: an unheard error would end the process
      this.#upgrade(request, socket, head).catch((error: unknown) => this.#refuseUpgrade(socket, error));
    });
    this.#http.on('clientError', (_, socket) => socket.destroy());
  }

  /**
   * Sets the plugins up, takes up what was unfinished, then listens.
   * @returns the port
   * @throws Error where the address may not be served without a token and a proxy (SEC1), or is taken
   */
  async listen({ port, host }: { port: number; host: string }): Promise<number> {
    const { token, isBehindProxy: isProxied = false } = this.#options;
    requireSafeAddress({ host, token, isBehindProxy: isProxied });
    const { plugins = [], dataDir = tmpdir(), pluginConfigs: configs = {} } = this.#options;
    await setUpPlugins(plugins, { runtime: this.hub.runtime, dataDir, configs });
    await this.hub.recover();
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(port, host, () => {
        this.#http.off('error', reject);
        resolve();
      });
    });
    this.#port = (this.#http.address() as AddressInfo).port;
    const { allowedOrigins = [], isBehindProxy = false } = this.#options;
    this.#origins = makeOriginPolicy({ host, port: this.#port, isBehindProxy, allowedOrigins });
    this.#isReady = true;
    return this.#port;
  }

  /** An in-process connection: the same frames without a socket (TRN1). */
  connect(handlers: DirectHandlers, principal?: Principal): DirectLink {
    return connectDirect(this.#gateway, newId(), handlers, principal);
  }

  /** Stops accepting, lets clients come back later, gives running work its time; nothing is cancelled (OPS3). */
  async close(): Promise<void> {
    this.#isReady = false;
    this.#tokens.stop();
    const closed = new Promise<void>((resolve) => this.#http.close(() => resolve()));
    const left = this.#ws.close(closeCodes.restart);
    await Promise.race([this.hub.quiesce(), sleep(stopHandlersMs)]);
    this.#ws.terminate();
    this.#http.closeAllConnections();
    await Promise.all([left, closed]);
    await this.hub.stop();
    await disposePlugins(this.#options.plugins ?? [], this.hub.runtime.log);
    await this.#options.store.events.close();
  }

  get #cookieName(): string {
    return `parley_${this.#port}`;
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const { authorization, cookie } = request.headers;
    const headers = readOriginHeaders(request);
    const verdict = judgeOrigin(this.#origins, headers);
    if (verdict === 'refused') return reject(socket, 403, 'Forbidden', explainRefusal(this.#origins, headers));
    if (request.url?.split('?')[0] !== '/ws') return reject(socket, 404, 'Not Found');
    const bearer = readBearer(authorization);
    const principal =
      bearer !== undefined
        ? await this.#auth.checkToken(bearer, 'bearer', request.socket.remoteAddress ?? '')
        : verdict === 'browser'
          ? await this.#auth.checkCookie(readCookie(cookie, this.#cookieName))
          : undefined;
    this.#ws.upgrade(request, socket, head, principal);
  }

  #refuseUpgrade(socket: Duplex, error: unknown): void {
    const { code } = toRefusal(error);
    if (code !== 'rate_limited') this.hub.runtime.log.error({ error }, 'an upgrade failed');
    if (code === 'rate_limited') reject(socket, 429, 'Too Many Requests');
    else reject(socket, 503, 'Service Unavailable');
  }
}

function reject(socket: Duplex, status: number, reason: string, words = ''): void {
  const type = words === '' ? '' : 'Content-Type: text/plain; charset=utf-8\r\n';
  const length = `Content-Length: ${Buffer.byteLength(words)}`;
  socket.end(`HTTP/1.1 ${status} ${reason}\r\nConnection: close\r\n${type}${length}\r\n\r\n${words}`);
}

function readCookie(header: string | undefined, name: string): string | undefined {
  const pair = header?.split(';').find((part) => part.trim().startsWith(`${name}=`));
  return pair?.trim().slice(name.length + 1);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
