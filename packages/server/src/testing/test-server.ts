import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AccessToken, Store } from '@parleyhq/core';
import { FaultyStore } from '@parleyhq/store-kit/testing';
import { openSqliteStore } from '../adapters/store/sqlite.ts';
import { hashToken, makeToken } from '../auth/auth.ts';
import { ParleyServer } from '../server.ts';
import type { ServerOptions } from '../server-options.ts';

export interface TestServerOptions extends Partial<Omit<ServerOptions, 'store'>> {
  /** Opens the database at each start. Default: SQLite */
  readonly openStore?: (file: string) => Store;
}

/** Details of a token, as `parley token create` asks for them. */
export type TokenOptions = Partial<AccessToken> & Pick<AccessToken, 'role'>;

/**
 * A server in the test's own process, on a free port, with a real database: for what can only be observed or broken from inside
 * (PLG5).
 */
export class TestServer {
  readonly #options: Partial<ServerOptions>;
  readonly #openStore: (file: string) => Store;
  #running: { readonly server: ParleyServer; readonly store: FaultyStore; readonly port: number } | undefined;
  #dataDir: string | undefined;

  constructor({ openStore = openSqliteStore, ...options }: TestServerOptions = {}) {
    this.#openStore = openStore;
    this.#options = options;
  }

  /** Starts the server. @throws Error if a plugin or a setting is invalid */
  async start(): Promise<void> {
    this.#dataDir ??= await mkdtemp(join(tmpdir(), 'parley-test-'));
    const store = new FaultyStore(this.#openStore(join(this.#dataDir, 'parley.db')));
    const server = new ParleyServer({ dataDir: this.#dataDir, framesPerSecond: 100_000, ...this.#options, store });
    const port = await server.listen({ port: this.#running?.port ?? 0, host: '127.0.0.1' });
    this.#running = { server, store, port };
  }

  /** Closes the server and starts the next one over the same data, at the same address: tabs come back. */
  async restart(): Promise<void> {
    await this.server.close();
    await this.start();
  }

  get server(): ParleyServer {
    return this.#current.server;
  }

  get store(): FaultyStore {
    return this.#current.store;
  }

  get port(): number {
    return this.#current.port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get dataDir(): string {
    if (this.#dataDir === undefined) throw new Error('the server has not been started');
    return this.#dataDir;
  }

  async remove(): Promise<void> {
    await this.#running?.server.close();
    if (this.#dataDir) await rm(this.#dataDir, { recursive: true, force: true });
  }

  get #current() {
    if (!this.#running) throw new Error('the server has not been started');
    return this.#running;
  }
}

/** Creates a token, as `parley token create` does. */
export async function addToken(
  { store }: { readonly store: Pick<Store, 'tokens'> },
  part: TokenOptions,
): Promise<{ readonly id: string; readonly token: string }> {
  const token = makeToken();
  const id = randomUUID();
  await store.tokens.add(hashToken(token), { id, createdAt: new Date().toISOString(), ...part });
  return { id, token };
}
