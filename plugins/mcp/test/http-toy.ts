import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { makeToy } from './toy-server.mjs';

type Era = 'legacy' | 'modern';

/** Answers a request in its session, in the era of 2025; sessions end with the process. */
function makeLegacyHandler(options: { onList(): Promise<void>; withdrawal: AbortSignal }): {
  fetch(request: Request): Promise<Response>;
} {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return {
    async fetch(request) {
      const id = request.headers.get('mcp-session-id');
      const known = id === null ? undefined : sessions.get(id);
      if (known) return known.handleRequest(request);
      if (id !== null) return new Response('no such session', { status: 404 });
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (session) => void sessions.set(session, transport),
      });
      await makeToy({ era: 'legacy', ...options }).connect(transport);
      return transport.handleRequest(request);
    },
  };
}

/** Answers a request before the MCP server sees it; undefined to let it through. */
type Guard = (request: Request) => Response | undefined | Promise<Response | undefined>;

/** Requires a token of this authorisation server, and publishes its address (RFC 9728). */
export function demandToken(authority: {
  readonly origin: string;
  accepts(token: string | undefined): boolean;
}): Guard {
  return ({ url, headers }) => {
    const { origin, pathname } = new URL(url);
    const place = '/.well-known/oauth-protected-resource';
    if (pathname.startsWith(place))
      return Response.json({ resource: `${origin}/mcp`, authorization_servers: [authority.origin] });
    if (authority.accepts(headers.get('authorization')?.replace('Bearer ', ''))) return undefined;
    return new Response(null, {
      status: 401,
      headers: { 'www-authenticate': `Bearer resource_metadata="${origin}${place}/mcp"` },
    });
  };
}

/** The toy server over HTTP. It keeps its port when it is restarted. */
export class HttpToy {
  readonly #era: Era;
  readonly #guard: Guard;
  /** Awaited before each list of tools is answered. */
  onList: (() => Promise<void>) | undefined;
  /** The `authorization` headers of all requests. */
  readonly authorizations = new Set<string | null>();
  /** Resolves once a client listens for the server's own messages. */
  readonly isHeard: Promise<void>;
  #hear: () => void = () => undefined;
  readonly #withdrawal = new AbortController();
  #server: Server | undefined;
  #port = 0;

  constructor(era: Era = 'modern', guard: Guard = () => undefined) {
    this.#era = era;
    this.#guard = guard;
    this.isHeard = new Promise((resolve) => {
      this.#hear = resolve;
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  async start(): Promise<void> {
    const isModern = this.#era === 'modern';
    const handler = isModern
      ? createMcpHandler(() => makeToy({ era: 'modern' }))
      : makeLegacyHandler({ onList: async () => this.onList?.(), withdrawal: this.#withdrawal.signal });
    const listener = getRequestListener(async (request) => {
      this.authorizations.add(request.headers.get('authorization'));
      const response = (await this.#guard(request)) ?? (await handler.fetch(request));
      if (request.method === 'GET' && response.ok) this.#hear();
      return response;
    });
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
  }

  /** Withdraws the server's open questions. */
  withdraw(): void {
    this.#withdrawal.abort();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  remove(): Promise<void> {
    return this.stop();
  }
}
