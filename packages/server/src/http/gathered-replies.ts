import type { FrameBatch } from '@parleyhq/core';
import type { ReplySink } from '../connection/gateway.ts';

/** In characters: beyond these limits no more frames are read for one request, or for all requests of one person together. */
const most = { request: 1024 * 1024, person: 16 * 1024 * 1024 } as const;

/** Collects the replies of requests until all are complete, within a memory limit per person (SEC11). */
export class GatheredReplies {
  /** Characters held, by person. */
  readonly #held = new Map<string, number>();

  begin(person: string): Gathering {
    return new Gathering((size) => {
      const held = (this.#held.get(person) ?? 0) + size;
      if (held > 0) this.#held.set(person, held);
      else this.#held.delete(person);
      return held;
    });
  }
}

/** The replies to the frames of one request. */
class Gathering implements ReplySink {
  readonly texts: string[] = [];
  /** Changes how much the person holds. @returns the new total */
  readonly #change: (size: number) => number;
  #size = 0;
  #isReleased = false;

  constructor(change: (size: number) => number) {
    this.#change = change;
  }

  get isFull(): boolean {
    return this.#isReleased || this.#size >= most.request || this.#change(0) >= most.person;
  }

  send({ texts }: FrameBatch): void {
    if (this.#isReleased) return;
    const size = texts.reduce((sum, { length }) => sum + length, 0);
    this.texts.push(...texts);
    this.#size += size;
    this.#change(size);
  }

  /** Releases the memory once the response has been sent, or its client has left. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#change(-this.#size);
  }
}
