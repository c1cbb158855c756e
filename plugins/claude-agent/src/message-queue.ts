/** What one side pushes and the other reads, in order; ends with an error where there is one. */
export class MessageQueue<T> {
  readonly #waiting: T[] = [];
  #wake: (() => void) | undefined;
  #end: { readonly error: Error | undefined } | undefined;

  push(message: T): void {
    this.#waiting.push(message);
    this.#wake?.();
  }

  end(error?: Error): void {
    this.#end ??= { error };
    this.#wake?.();
  }

  /** The next one; undefined after the last. @throws what it ended with */
  async next(): Promise<T | undefined> {
    for (;;) {
      const message = this.#waiting.shift();
      if (message !== undefined) return message;
      if (this.#end?.error) throw this.#end.error;
      if (this.#end) return undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const message = await this.next();
      if (message === undefined) return;
      yield message;
    }
  }
}
