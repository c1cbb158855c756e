import { setTimeout as sleep } from 'node:timers/promises';
import type { ParleyServer } from '@parleyhq/server';
import type { Logger } from 'pino';

/** Pauses between attempts to restart, in ms. */
const pausesMs = { first: 250, longest: 5000 };

interface Address {
  readonly port: number;
  readonly host: string;
}

/**
 * Runs the server of this process, and replaces it if its database turns out to have been replaced: the server is closed with its
 * in-memory state, and a new one starts at the same address from what the database holds now (RPL2).
 */
export class ServerSupervisor {
  readonly #make: () => Promise<ParleyServer>;
  #server: ParleyServer;
  #isClosing = false;

  /** @param make - opens the store again and makes a server on it */
  constructor(first: ParleyServer, make: () => Promise<ParleyServer>) {
    this.#server = first;
    this.#make = make;
  }

  /** The current server's log, which redacts answers. */
  get log(): Logger {
    return this.#server.log;
  }

  /** @returns the port @throws Error as `ParleyServer.listen` does */
  async listen(address: Address): Promise<number> {
    const port = await this.#server.listen(address);
    this.#watch({ ...address, port });
    return port;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#server.close();
  }

  #watch(address: Address): void {
    this.#server.replaced
      .then(() => this.#succeed(address))
      .catch((error: unknown) => this.log.fatal({ error }, 'could not restart the server'));
  }

  async #succeed(address: Address): Promise<void> {
    const { log } = this;
    await this.#server.close();
    for (let pauseMs = pausesMs.first; !this.#isClosing; pauseMs = Math.min(2 * pauseMs, pausesMs.longest)) {
      try {
        const server = await this.#make();
        this.#server = server;
        await server.listen(address).catch(async (error: unknown) => {
          await server.close();
          throw error;
        });
        this.#watch(address);
        return;
      } catch (error) {
        log.error({ error, pauseMs }, 'could not restart the server: trying again');
        await sleep(pauseMs);
      }
    }
  }
}
