import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Resource } from './use.ts';

/** A real HTTP server on this machine that replaces a remote one, which tests cannot reach. */
export abstract class LocalHttp implements Resource {
  readonly #http = createServer((request, response) => void this.answer(request, response));
  readonly #host: string;

  constructor(host: 'localhost' | '127.0.0.1' = '127.0.0.1') {
    this.#host = host;
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#http.listen(0, this.#host, resolve));
  }

  async remove(): Promise<void> {
    this.#http.closeAllConnections();
    await new Promise((resolve) => this.#http.close(resolve));
  }

  get origin(): string {
    return `http://${this.#host}:${(this.#http.address() as AddressInfo).port}`;
  }

  protected abstract answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}
