import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@parleyhq/core';
import { openSqliteStore, ParleyServer, type ServerOptions } from '@parleyhq/server';
import { Tab } from './tab.ts';

/** A server in the test's own process, over a real database: for what can only be seen or broken from inside. */
export class LocalServer {
  readonly server: ParleyServer;
  readonly store: Store;
  readonly port: number;
  readonly #dataDir: string;

  private constructor(server: ParleyServer, store: Store, port: number, dataDir: string) {
    this.server = server;
    this.store = store;
    this.port = port;
    this.#dataDir = dataDir;
  }

  /** @param wrap puts something between the server and its store */
  static async start(
    options: Partial<ServerOptions> = {},
    wrap: (store: Store) => Store = (store) => store,
  ): Promise<LocalServer> {
    const dataDir = await mkdtemp(join(tmpdir(), 'parley-test-'));
    const store = wrap(options.store ?? openSqliteStore(join(dataDir, 'parley.db')));
    const server = new ParleyServer({ dataDir, framesPerSecond: 100_000, ...options, store });
    const port = await server.listen({ port: 0, host: '127.0.0.1' });
    return new LocalServer(server, store, port, dataDir);
  }

  open(options?: Parameters<typeof Tab.open>[1]): Promise<Tab> {
    return Tab.open(`ws://127.0.0.1:${this.port}/ws`, options);
  }

  async remove(): Promise<void> {
    await this.server.close();
    await rm(this.#dataDir, { recursive: true, force: true });
  }
}
