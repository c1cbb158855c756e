import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { passRequest, passSocket } from '../../support/pass-on.ts';

/** A load balancer to which browsers speak TLS: requests reach a node in clear, with its own name and what proxies add. Only the TLS itself is left out. */
export class TlsProxy {
  /** As browsers have it in the address. */
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

  /** For a test. */
  static async start(): Promise<TlsProxy> {
    const proxy = new TlsProxy();
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      proxy.#server.closeAllConnections();
      proxy.#server.close();
    });
    return proxy;
  }

  /** The port of the node that what comes next is passed to. */
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
