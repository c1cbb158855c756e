import { setTimeout as sleep } from 'node:timers/promises';
import type { ParleyServer } from '@parleyhq/server';
import type { Logger } from 'pino';

/** In ms, between attempts to begin anew. */
const pausesMs = { first: 250, longest: 5000 };

interface Address {
  readonly port: number;
  readonly host: string;
}

/**
 * The server of this process, and those after it: where the database turns out to be another than the one that it knew, it ends
 * with all that is in its memory, and another begins at the same address on what the database holds now (RPL2).
 */
export class Succession {
  readonly #make: () => Promise<ParleyServer>;
  #server: ParleyServer;
  #isClosing = false;

  /** @param make - a server on the store, opened anew */
  constructor(first: ParleyServer, make: () => Promise<ParleyServer>) {
    this.#server = first;
    this.#make = make;
  }

  /** It redacts what people said. */
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
      .catch((error: unknown) => this.log.fatal({ error }, 'the server could not begin anew'));
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
        log.error({ error, pauseMs }, 'the server could not begin anew: trying again');
        await sleep(pauseMs);
      }
    }
  }
}
