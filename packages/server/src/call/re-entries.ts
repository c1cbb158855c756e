import type { Instant } from '@parleyhq/core';

/** At most this many calls are entered in the background at once. */
const mostAtOnce = 8;

export interface ReEntriesOptions {
  /** In ms: once a start has lived for this long, and no careful entry was made for this long, it is an ordinary one (DUR6). */
  readonly steadyMs: number;
  /** Runs once, when the start has lived for so long. */
  readonly onSteady: () => void;
}

/** A call that wants to run its code again. */
interface Waiting {
  /** Its last careful entry ended the server. */
  readonly isSuspect: boolean;
  begin(): void;
}

interface Look {
  readonly due: Instant;
  run(): Promise<void>;
}

/**
 * When calls of an earlier process may run their code again: none before the server is ready (DUR10). Ordinarily each may at once, except in
 * the background, where few do at a time; in a careful start each is alone with its entry, so that it is known which one ends the server (DUR6).
 */
export class ReEntries {
  readonly #options: ReEntriesOptions;
  readonly #looks: Look[] = [];
  #isSorted = true;
  #looking = 0;
  readonly #lane: Waiting[] = [];
  #isLaneTaken = false;
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

  /** Whether each call is entered alone now. */
  get isCareful(): boolean {
    return this.#isCareful;
  }

  /** Whether this start began so: what it left asleep then sleeps on. */
  get isCarefulStart(): boolean {
    return this.#isCarefulStart;
  }

  get steadyMs(): number {
    return this.#options.steadyMs;
  }

  /** How many calls wait in the background, or are entered there. */
  get left(): number {
    return this.#looks.length + this.#looking;
  }

  /** Resolves when the server is ready. */
  get opened(): Promise<void> {
    return this.#opened;
  }

  /** Before the server is ready: how this start treats the calls that it finds. */
  begin(isCareful: boolean): void {
    this.#isCareful = isCareful;
    this.#isCarefulStart = isCareful;
  }

  /** The server is ready. */
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
    this.#lane.length = 0;
  }

  /** Runs in the background, few at a time, the nearest deadline first. */
  later(due: Instant, run: () => Promise<void>): void {
    this.#looks.push({ due, run });
    this.#isSorted = false;
    if (this.#isOpen) this.#lookOn();
  }

  /** Resolves when a call may run its code, with what ends its entry: to be called once it waits or has ended. */
  async pass(isSuspect: boolean): Promise<() => void> {
    await this.#opened;
    if (!this.#isCareful) return () => undefined;
    await new Promise<void>((begin) => {
      this.#lane.push({ isSuspect, begin });
      this.#letIn();
    });
    let hasEnded = false;
    const end = () => {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(longest);
      this.#isLaneTaken = false;
      this.#letIn();
    };
    const longest = setTimeout(end, this.steadyMs).unref(); // the server has lived on: others need not wait for its end
    return end;
  }

  /** The next one, those under suspicion first. Such a call comes when what was entered before has had its time: nobody is blamed for another. */
  #letIn(): void {
    if (this.#isLaneTaken || this.#hasStopped) return;
    const suspect = this.#lane.findIndex(({ isSuspect }) => isSuspect);
    const [next] = this.#lane.splice(Math.max(suspect, 0), 1);
    if (!next) return;
    this.#isLaneTaken = true;
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
      if (this.#isLaneTaken || this.#lane.length > 0) return this.#awaitSteady();
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
