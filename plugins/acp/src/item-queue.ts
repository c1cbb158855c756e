import { Deferred } from './deferred.ts';

/** A queue with one reader, which can look at the next item before it takes it. */
export class ItemQueue<T> {
  readonly #items: T[] = [];
  #isEnded = false;
  #changed = new Deferred<void>();

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  /** Wakes the reader, even if there is nothing new for it. */
  #wake(): void {
    this.#changed.resolve();
    this.#changed = new Deferred();
  }

  /** @returns the next item, which stays in the queue; undefined after the last, or if none comes within `waitMs` */
  async peek(waitMs?: number): Promise<T | undefined> {
    if (this.#items.length === 0 && !this.#isEnded) await within(this.#changed.promise, waitMs);
    return this.#items[0];
  }

  take(): T | undefined {
    return this.#items.shift();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const item = await this.peek();
      if (item === undefined) return;
      this.take();
      yield item;
    }
  }
}

/** Waits for a promise, but not longer than this. */
async function within(promise: Promise<void>, ms: number | undefined): Promise<void> {
  if (ms === undefined) return promise;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([promise, late]);
  clearTimeout(timer);
}
