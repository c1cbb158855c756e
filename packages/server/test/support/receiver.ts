import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { vi } from 'vitest';

/** A request as it came. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real HTTP server that keeps what it is sent: a webhook of somebody's, or an ntfy. */
export class Receiver {
  readonly requests: Received[] = [];
  /** What it answers. */
  status = 200;
  headers: Readonly<Record<string, string>> = {};
  /** Never answers what comes while it is set. */
  isDead = false;
  readonly #http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, path: url, headers, body: Buffer.concat(chunks).toString() });
    if (!this.isDead) response.writeHead(this.status, this.headers).end('{}');
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(0, '127.0.0.1', resolve));
  }

  async remove(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
  }

  /** The first request that fits, as soon as it is there. */
  request(accepts: (request: Received) => boolean = () => true): Promise<Received> {
    return vi.waitFor(
      () => {
        const found = this.requests.find(accepts);
        if (!found) throw new Error(`no such request: ${JSON.stringify(this.requests)}`);
        return found;
      },
      { timeout: 30_000, interval: 10 },
    );
  }
}
