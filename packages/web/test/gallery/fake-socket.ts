import type { FakeServer } from '@parleyhq/client/testing';

type Listener = (event: { data?: unknown; code?: number; reason?: string }) => void;

/** The server that the page's sockets reach; none while the network is down. */
export const network: { server: FakeServer | undefined; isDown: boolean } = { server: undefined, isDown: false };

/** A WebSocket to a server within the page. */
export class FakeSocket {
  readonly #listeners = new Map<string, Listener[]>();
  #pipe: ReturnType<FakeServer['openPipe']> | undefined;

  constructor() {
    queueMicrotask(() => this.#open());
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  send(text: string): void {
    this.#pipe?.send(text);
  }

  close(): void {
    this.#pipe?.close();
    this.#pipe = undefined;
  }

  #open(): void {
    if (network.isDown || !network.server) {
      this.#fire('close', { code: 1006, reason: '' });
      return;
    }
    this.#pipe = network.server.openPipe();
    this.#pipe.onmessage = (data) => this.#fire('message', { data });
    this.#pipe.onclose = (code, reason) => this.#fire('close', { code, reason });
    this.#fire('open', {});
  }

  #fire(type: string, event: Parameters<Listener>[0]): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event);
  }
}
