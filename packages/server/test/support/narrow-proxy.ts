import { createServer, request, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy between clients and a server that lets WebSockets through, refuses them, or leaves them without a word. */
export class NarrowProxy {
  upgrades: 'passed' | 'refused' | 'ignored' = 'refused';
  /** The paths of the requests, without their queries. */
  readonly paths: string[] = [];
  /** How many WebSockets were tried. */
  tried = 0;
  readonly #server: Server;

  private constructor(port: () => number) {
    const own = () => ({ host: `127.0.0.1:${port()}` });
    this.#server = createServer((incoming, response) => {
      const { method, url = '', headers } = incoming;
      this.paths.push(url.split('?')[0] ?? '');
      const origin = headers.origin && { origin: `http://127.0.0.1:${port()}` };
      const upstream = request(
        { host: '127.0.0.1', port: port(), method, path: url, headers: { ...headers, ...own(), ...origin } },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(response);
        },
      );
      upstream.on('error', () => response.destroy());
      response.on('close', () => upstream.destroy());
      incoming.pipe(upstream);
    });
    this.#server.on('upgrade', ({ url, headers }, socket) => {
      this.tried += 1;
      socket.on('error', () => socket.destroy());
      if (this.upgrades === 'refused') socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
      if (this.upgrades !== 'passed') return;
      const lines = Object.entries({ ...headers, ...own(), origin: `http://127.0.0.1:${port()}` });
      const upstream = connect(port(), '127.0.0.1', () => {
        upstream.write(`GET ${url} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
        upstream.pipe(socket).pipe(upstream);
      });
      upstream.on('error', () => socket.destroy());
    });
  }

  /** For a test, before the server that listens on that port by then. */
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
