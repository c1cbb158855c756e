import { OneByOne } from '@parleyhq/runtime';

/** How many messages are remembered. */
const mostRemembered = 1000;

/**
 * Has the changes of one message made one after the other. Once one was begun that shows a settled prompt, none that shows an earlier
 * state begins any more, however long it waited (CHAT1).
 */
export class CardTurns {
  readonly #oneByOne = new OneByOne();
  /** By message, the most recent last. It is aborted once the prompt of the message is settled. */
  readonly #settled = new Map<string, AbortController>();

  /**
   * Changes a message in its turn.
   * @param key - of the message
   * @param change - if the change shows an open prompt, `signal` aborts when it is settled: waiting for another attempt is in vain
   * @returns undefined if the change is out of date
   * @throws what `change` throws
   */
  async run<Result>(
    key: string,
    isSettled: boolean,
    change: (signal?: AbortSignal) => Promise<Result>,
  ): Promise<Result | undefined> {
    const settled = this.#find(key);
    if (isSettled) {
      settled.abort();
      return this.#oneByOne.run(key, () => change());
    }
    const { signal } = settled;
    return this.#oneByOne.run(key, async () => {
      if (signal.aborted) return undefined;
      try {
        return await change(signal);
      } catch (error) {
        if (signal.aborted) return undefined;
        throw error;
      }
    });
  }

  #find(key: string): AbortController {
    const settled = this.#settled.get(key) ?? new AbortController();
    this.#settled.delete(key);
    this.#settled.set(key, settled);
    const [oldest] = this.#settled.keys();
    if (this.#settled.size > mostRemembered && oldest !== undefined) this.#settled.delete(oldest);
    return settled;
  }
}
