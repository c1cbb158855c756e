import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { passRequest, passSocket } from './pass-on.ts';

/** A proxy between clients and a server that passes WebSockets, refuses them, or leaves them unanswered. */
export class NarrowProxy {
  upgrades: 'passed' | 'refused' | 'ignored' = 'refused';
  /** Paths of the requests, without their queries. */
  readonly paths: string[] = [];
  /** Number of attempted WebSockets. */
  tried = 0;
  readonly #server: Server;

  private constructor(port: () => number) {
    const own = () => ({ host: `127.0.0.1:${port()}` });
    this.#server = createServer((incoming, response) => {
      const { url = '', headers } = incoming;
      this.paths.push(url.split('?')[0] ?? '');
      const origin = headers.origin && { origin: `http://127.0.0.1:${port()}` };
      passRequest({ incoming, response }, port(), { ...headers, ...own(), ...origin });
    });
    this.#server.on('upgrade', ({ url, headers }, socket) => {
      this.tried += 1;
      socket.on('error', () => socket.destroy());
      if (this.upgrades === 'refused') socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
      if (this.upgrades !== 'passed') return;
      passSocket({ url, socket }, port(), { ...headers, ...own(), origin: `http://127.0.0.1:${port()}` });
    });
  }

  /** Starts a proxy for a test, before the server that will listen on this port. */
  static async before(port: () => number): Promise<NarrowProxy> {
    const proxy = new NarrowProxy(port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      proxy.#server.closeAllConnections();
      proxy.#server.close();
    });
    return proxy;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
}
