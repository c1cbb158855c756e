import type { Instant } from '@parleyhq/core';
import type { Clock } from '@parleyhq/runtime';
import { settle } from './settle.ts';

interface Timer {
  readonly at: Instant;
  run(): void;
}

/** A clock that stands still unless a test advances it. */
export class FakeClock implements Clock {
  now: Instant;
  readonly #timers = new Set<Timer>();

  constructor(now: Instant) {
    this.now = now;
  }

  elapsed(): number {
    return this.now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.now + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time pass; timers run in order, each after running code has come to its next wait. @param ms - duration */
  async advance(ms: number): Promise<void> {
    const target = this.now + ms;
    await settle();
    for (let next = this.#next(); next && next.at <= target; next = this.#next()) {
      this.#timers.delete(next);
      this.now = Math.max(this.now, next.at);
      next.run();
      await settle();
    }
    this.now = Math.max(this.now, target);
    await settle();
  }

  /** Drops all timers: their process has ended. */
  clear(): void {
    this.#timers.clear();
  }

  #next(): Timer | undefined {
    return [...this.#timers].sort((a, b) => a.at - b.at)[0];
  }
}
