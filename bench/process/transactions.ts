import Sqlite from 'better-sqlite3';
import { clock } from './clock.ts';

/**
 * Measures the longest time in ms that a transaction blocked the event loop, over all databases that this process opens later.
 */
export class TransactionMeter {
  #longest = 0;

  constructor() {
    const { transaction } = Sqlite.prototype;
    const meter = this;
    Sqlite.prototype.transaction = function (this: Sqlite.Database, work: (...args: never[]) => unknown) {
      const made = transaction.call(this, work) as unknown as Record<string, unknown>;
      const { immediate } = made;
      const timed =
        (run: (...args: unknown[]) => unknown) =>
        (...args: unknown[]) =>
          meter.#time(() => run(...args));
      return Object.assign(timed(made as never), { immediate: timed(immediate as never) });
    } as never;
  }

  take(): number {
    const longest = this.#longest;
    this.#longest = 0;
    return longest;
  }

  #time<Value>(run: () => Value): Value {
    const start = clock();
    try {
      return run();
    } finally {
      this.#longest = Math.max(this.#longest, clock() - start);
    }
  }
}
