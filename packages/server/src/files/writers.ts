interface Writer {
  readonly stop: () => void;
  readonly ended: Promise<unknown>;
}

/** Who writes which upload at this moment: one at a time, and the newest one counts, for the older connection may be lost without a word. */
export class Writers {
  readonly #writers = new Map<string, Writer>();

  /** Ends whoever writes it, and waits for that. */
  async stop(fileId: string): Promise<void> {
    for (let writer = this.#writers.get(fileId); writer; writer = this.#writers.get(fileId)) {
      writer.stop();
      await writer.ended;
    }
  }

  async write<T>(fileId: string, stop: () => void, work: () => Promise<T>): Promise<T> {
    await this.stop(fileId);
    const working = work();
    const writer = { stop, ended: working.catch(() => undefined) };
    this.#writers.set(fileId, writer);
    try {
      return await working;
    } finally {
      if (this.#writers.get(fileId) === writer) this.#writers.delete(fileId);
    }
  }
}
