import { connectServer, ParleyClient } from '@parleyhq/client';
import { watchAttention } from '../browser/attention.ts';
import { tabStorage } from '../browser/storage.ts';
import { describeDevice, readClientId } from '../browser/tab.ts';

const shared = new Map<string, SharedClient>();

/** The connection shared by all elements with the same server and token. It stays open as long as an element holds it. */
export class SharedClient {
  readonly client: ParleyClient;
  readonly #key: string;
  readonly #abort = new AbortController();
  #holders = 0;

  /** Holds the connection, and opens it if this is its first holder. @param server - the server's address */
  static hold(server: string, token: string | undefined): SharedClient {
    const key = JSON.stringify([server, token]);
    const known = shared.get(key) ?? new SharedClient(key, server, token);
    shared.set(key, known);
    return known.retain();
  }

  private constructor(key: string, server: string, token: string | undefined) {
    this.#key = key;
    this.client = new ParleyClient({
      transport: connectServer(server),
      clientId: readClientId(),
      label: describeDevice(),
      storage: tabStorage,
      ...(token !== undefined && { token }),
    });
    const { signal } = this.#abort;
    watchAttention(this.client, signal);
    addEventListener('online', () => this.client.reconnectNow(), { signal });
    document.addEventListener('visibilitychange', () => document.hidden || this.client.reconnectNow(), { signal });
    this.client.start();
  }

  /** Adds a holder, for which `release` must be called later. */
  retain(): this {
    this.#holders += 1;
    return this;
  }

  /**
   * Removes a holder. The connection closes a task later: an element that is moved within its page releases it and holds it
   * again.
   */
  release(): void {
    this.#holders -= 1;
    setTimeout(() => {
      if (this.#holders > 0 || shared.get(this.#key) !== this) return;
      shared.delete(this.#key);
      this.#abort.abort();
      this.client.stop();
    });
  }
}
