/** A response, as far as it is watched here. */
type Response = NodeJS.EventEmitter & { readonly closed: boolean };

/** The requests of known programs that were not answered yet: a server that stops waits until it has told them where they are. */
export class UnansweredRequests {
  readonly #responses = new Set<Response>();

  add(response: Response): void {
    if (response.closed) return;
    this.#responses.add(response);
    response.once('close', () => this.#responses.delete(response));
  }

  /** Resolves when those of now have their answers, or are gone. */
  async settle(): Promise<void> {
    const closed = (response: Response) => new Promise((resolve) => response.once('close', resolve));
    await Promise.all([...this.#responses].map(closed));
  }
}
