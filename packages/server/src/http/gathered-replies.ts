import type { FrameBatch } from '@parleyhq/core';
import type { ReplySink } from '../entrance/gateway.ts';

/** In characters: beyond these nothing more is read for one request, or for all requests of one person together. */
const most = { request: 1024 * 1024, person: 16 * 1024 * 1024 } as const;

/** The replies that requests wait with until all of theirs are there: what a person asks for costs no more memory than this (SEC11). */
export class GatheredReplies {
  /** By person, in characters. */
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
  /** Changes what its person holds. @returns all that it is by then */
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

  /** The response has been sent, or its client has left. */
  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#change(-this.#size);
  }
}
