import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { passRequest, passSocket } from '../../support/pass-on.ts';

/**
 * Simulates a TLS load balancer: requests reach a node unencrypted, with the node's own name and the headers that proxies add.
 * Only the TLS itself is left out.
 */
export class TlsProxy {
  /** Origin as browsers see it. */
  readonly origin = 'https://parley.example.org';
  #node = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((incoming, response) =>
      passRequest({ incoming, response }, this.#node, this.#headersOf(incoming)),
    );
    this.#server.on('upgrade', (incoming, socket) =>
      passSocket({ url: incoming.url, socket }, this.#node, this.#headersOf(incoming)),
    );
  }

  /** Starts a proxy that ends with the test. */
  static async start(): Promise<TlsProxy> {
    const proxy = new TlsProxy();
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      proxy.#server.closeAllConnections();
      proxy.#server.close();
    });
    return proxy;
  }

  /** Forwards the next requests to the node on this port. */
  leadTo(node: number): void {
    this.#node = node;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #headersOf({ headers, socket }: IncomingMessage): OutgoingHttpHeaders {
    const { host } = new URL(this.origin);
    return {
      ...headers,
      host,
      'x-forwarded-for': String(socket.remoteAddress),
      'x-forwarded-host': host,
      'x-forwarded-proto': 'https',
      forwarded: `for=${socket.remoteAddress};host=${host};proto=https`,
    };
  }
}
