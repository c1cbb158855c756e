import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@parleyhq/core';
import { openSqliteStore, ParleyServer, type ServerOptions } from '@parleyhq/server';
import { FaultyStore } from '@parleyhq/server/testing';
import { Tab, type TabOptions } from './tab.ts';
import { useInFile, useInTest } from './use-server.ts';

export interface LocalOptions extends Partial<Omit<ServerOptions, 'store'>> {
  /** Opens the database at each start. Default: SQLite */
  readonly openStore?: (file: string) => Store;
}

/** A server in the test's own process, over a real database: for what can only be seen or broken from inside. */
export class LocalServer {
  readonly #options: Partial<ServerOptions>;
  readonly #openStore: (file: string) => Store;
  #running: { readonly server: ParleyServer; readonly store: FaultyStore; readonly port: number } | undefined;
  #dataDir: string | undefined;

  constructor({ openStore = openSqliteStore, ...options }: LocalOptions = {}) {
    this.#openStore = openStore;
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#dataDir ??= await mkdtemp(join(tmpdir(), 'parley-test-'));
    const store = new FaultyStore(this.#openStore(join(this.#dataDir, 'parley.db')));
    const server = new ParleyServer({ dataDir: this.#dataDir, framesPerSecond: 100_000, ...this.#options, store });
    const port = await server.listen({ port: 0, host: '127.0.0.1' });
    this.#running = { server, store, port };
  }

  /** Closes the server and starts the next one over the same data. */
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

  get dataDir(): string {
    if (this.#dataDir === undefined) throw new Error('the server has not been started');
    return this.#dataDir;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  open(options?: TabOptions): Promise<Tab> {
    return Tab.open(`ws://127.0.0.1:${this.port}/ws`, options);
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

/** One server for the tests of a file, in their own process. */
export function useLocalServer(options?: LocalOptions): LocalServer {
  return useInFile(new LocalServer(options));
}

/** The same for one test; may be called in `beforeEach`. */
export function startLocalServer(options?: LocalOptions): Promise<LocalServer> {
  return useInTest(new LocalServer(options));
}
