import type { Head, HeadCache as HeadStore, SessionId } from '@parleyhq/core';
import type { Logger } from 'pino';

/** How long the open turn and prompts may differ from their cache in the session's row, in ms. */
const windowMs = 250;

/**
 * Caches one session's head in its row. The cache may lag or be missing: loading folds later events of the log into it. It is
 * never ahead, because a different event may be stored in place of one that is not stored yet.
 */
export class HeadCache {
  readonly #sessionId: SessionId;
  readonly #heads: HeadStore;
  readonly #storedHead: () => Head;
  readonly #log: Logger;
  #timer: NodeJS.Timeout | undefined;
  #hasEnded = false;
  /** The head as it was last saved or read. */
  #saved: Head | undefined;

  constructor(
    sessionId: SessionId,
    storedHead: () => Head,
    { heads, log, saved }: { heads: HeadStore; log: Logger; saved: Head | undefined },
  ) {
    this.#saved = saved;
    this.#sessionId = sessionId;
    this.#storedHead = storedHead;
    this.#heads = heads;
    this.#log = log;
  }

  saveSoon(): void {
    this.#timer ??= setTimeout(() => void this.save(), windowMs).unref();
  }

  async save(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const head = this.#storedHead();
    if (this.#hasEnded || head === this.#saved) return;
    await this.#heads.save(this.#sessionId, head).then(
      () => {
        this.#saved = head;
      },
      (error: unknown) => this.#log.warn({ sessionId: this.#sessionId, error }, 'head not cached'),
    );
  }

  /** Saves nothing any more. */
  end(): void {
    clearTimeout(this.#timer);
    this.#hasEnded = true;
  }
}
