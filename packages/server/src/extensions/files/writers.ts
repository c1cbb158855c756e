import { OneByOne } from '@parleyhq/runtime';

/** Allows one writer per upload. The newest one wins, because an older connection may be lost unnoticed. */
export class Writers {
  readonly #stops = new Map<string, () => void>();
  readonly #oneByOne = new OneByOne();

  /**
   * Stops the current writer of an upload and runs `work` once it has ended.
   * @param stop - ends the work early, if it can be
   * @throws whatever the work throws
   */
  run<T>(fileId: string, work: () => Promise<T>, stop: () => void = () => undefined): Promise<T> {
    this.#stops.get(fileId)?.();
    this.#stops.set(fileId, stop);
    return this.#oneByOne.run(fileId, work).finally(() => {
      if (this.#stops.get(fileId) === stop) this.#stops.delete(fileId);
    });
  }
}
