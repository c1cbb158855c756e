import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { makeToy } from './toy-server.mjs';

/** The toy server over HTTP, in the era of 2026, on one port that it keeps when it is started anew. */
export class HttpToy {
  /** What requests brought to be let in. */
  readonly authorizations = new Set<string | null>();
  #server: Server | undefined;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}/mcp`;
  }

  async start(): Promise<void> {
    const handler = createMcpHandler(() => makeToy({ era: 'modern' }));
    const listener = getRequestListener((request) => {
      this.authorizations.add(request.headers.get('authorization'));
      return handler.fetch(request);
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

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  remove(): Promise<void> {
    return this.stop();
  }
}
