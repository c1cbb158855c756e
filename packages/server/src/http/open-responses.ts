import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Responses that are not sent completely; a stop lets them finish before it closes connections. */
export class OpenResponses {
  readonly #open = new Set<ServerResponse>();

  meet(response: ServerResponse): void {
    this.#open.add(response);
    response.once('close', () => this.#open.delete(response));
  }

  /** Resolves when the current responses are sent, or their connections closed. */
  async ended(): Promise<void> {
    await Promise.all([...this.#open].map((response) => once(response, 'close')));
  }
}
