/** An asynchronous queue: one side pushes, the other reads in order until it ends, possibly with an error. */
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

  /** @returns the next message, or undefined after the last @throws the error it ended with */
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
