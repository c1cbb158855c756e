import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Responses that are not sent yet: a stop lets them end before it cuts connections. */
export class OpenResponses {
  readonly #open = new Set<ServerResponse>();

  meet(response: ServerResponse): void {
    this.#open.add(response);
    response.once('close', () => this.#open.delete(response));
  }

  /** Resolves when those of now are sent, or their connections gone. */
  async ended(): Promise<void> {
    await Promise.all([...this.#open].map((response) => once(response, 'close')));
  }
}
