import type { Instant } from '@parleyhq/core';

/** At most this many calls are entered in the background at once. */
const mostAtOnce = 8;

export interface ReEntriesOptions {
  /** A start becomes an ordinary one after this long, in ms, without a careful entry (DUR6). */
  readonly steadyMs: number;
  /** Called once when the start has become an ordinary one. */
  readonly onSteady: () => void;
}

/** A call that wants to run its code again. */
interface Waiting {
  /** Whether its last careful entry ended the server. */
  readonly isSuspect: boolean;
  begin(): void;
}

interface Look {
  readonly due: Instant;
  run(): Promise<void>;
}

/**
 * Decides when calls of an earlier process may run their code again: none before the server is ready (DUR10). In an ordinary
 * start each may at once, except for a limited number at a time in the background. In a careful start only one is entered at a
 * time, so that it is known which one ends the server (DUR6).
 */
export class ReEntries {
  readonly #options: ReEntriesOptions;
  readonly #looks: Look[] = [];
  #isSorted = true;
  #looking = 0;
  readonly #queue: Waiting[] = [];
  #isEntryTaken = false;
  #isCareful = false;
  #isCarefulStart = false;
  #hasStopped = false;
  #lastEntryAt = Number.NEGATIVE_INFINITY;
  #steady: NodeJS.Timeout | undefined;
  #isOpen = false;
  #open: () => void = () => {};
  readonly #opened = new Promise<void>((resolve) => {
    this.#open = resolve;
  });

  constructor(options: ReEntriesOptions) {
    this.#options = options;
  }

  /** Whether calls are currently entered one at a time. */
  get isCareful(): boolean {
    return this.#isCareful;
  }

  /** Whether this start began as a careful one: calls left asleep then stay asleep. */
  get isCarefulStart(): boolean {
    return this.#isCarefulStart;
  }

  get steadyMs(): number {
    return this.#options.steadyMs;
  }

  /** Number of calls waiting or being entered in the background. */
  get left(): number {
    return this.#looks.length + this.#looking;
  }

  /** Resolves when the server is ready. */
  get opened(): Promise<void> {
    return this.#opened;
  }

  /** Sets how this start treats the calls it finds; called before the server is ready. */
  begin(isCareful: boolean): void {
    this.#isCareful = isCareful;
    this.#isCarefulStart = isCareful;
  }

  /** Lets calls in: the server is ready. */
  open(): void {
    this.#isOpen = true;
    this.#open();
    this.#awaitSteady();
    this.#lookOn();
  }

  stop(): void {
    this.#hasStopped = true;
    clearTimeout(this.#steady);
    this.#looks.length = 0;
    this.#queue.length = 0;
  }

  /** Runs work in the background, a few at a time, the nearest deadline first. */
  later(due: Instant, run: () => Promise<void>): void {
    this.#looks.push({ due, run });
    this.#isSorted = false;
    if (this.#isOpen) this.#lookOn();
  }

  /** Resolves when a call may run its code, with a function to call once it waits or has ended. */
  async pass(isSuspect: boolean): Promise<() => void> {
    await this.#opened;
    if (!this.#isCareful) return () => undefined;
    await new Promise<void>((begin) => {
      this.#queue.push({ isSuspect, begin });
      this.#letIn();
    });
    let hasEnded = false;
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(longest);
      this.#isEntryTaken = false;
      this.#letIn();
    };
    const longest = setTimeout(end, this.steadyMs).unref(); // the server survived it: others need not wait for its end
    return end;
  }

  /**
   * Lets the next call in, suspects first. A suspect waits until the previous entry has proved harmless, so that it is not blamed
   * for that one.
   */
  #letIn(): void {
    if (this.#isEntryTaken || this.#hasStopped) return;
    const suspect = this.#queue.findIndex(({ isSuspect }) => isSuspect);
    const [next] = this.#queue.splice(Math.max(suspect, 0), 1);
    if (!next) return;
    this.#isEntryTaken = true;
    const quietAt = this.#lastEntryAt + (next.isSuspect ? this.steadyMs : 0);
    const enter = () => {
      this.#lastEntryAt = performance.now();
      this.#awaitSteady();
      next.begin();
    };
    const leftMs = quietAt - performance.now();
    if (leftMs > 0) setTimeout(enter, leftMs).unref();
    else enter();
  }

  #awaitSteady(): void {
    if (this.#hasStopped) return;
    clearTimeout(this.#steady);
    this.#steady = setTimeout(() => {
      if (this.#isEntryTaken || this.#queue.length > 0) return this.#awaitSteady();
      this.#isCareful = false;
      this.#options.onSteady();
    }, this.steadyMs).unref();
  }

  #lookOn(): void {
    while (this.#looking < mostAtOnce && !this.#hasStopped) {
      if (!this.#isSorted) this.#looks.sort((a, b) => b.due - a.due);
      this.#isSorted = true;
      const next = this.#looks.pop();
      if (!next) return;
      this.#looking += 1;
      void next.run().finally(() => {
        this.#looking -= 1;
        this.#lookOn();
      });
    }
  }
}
