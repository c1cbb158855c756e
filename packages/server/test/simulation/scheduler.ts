import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

/** A process of the simulation: its steps end with it, and wait while it is stopped. */
export interface Owner {
  readonly name: string;
  isDead: boolean;
  /** End of a pause like SIGSTOP, in ms of the simulation. */
  wakesAt: number;
}

export function makeOwner(name: string): Owner {
  return { name, isDead: false, wakesAt: 0 };
}

interface Step {
  at: number;
  /** Number of the step: steps of one moment run in the order of their scheduling. */
  readonly n: number;
  readonly owner: Owner;
  readonly run: () => void;
  isOver: boolean;
}

const startAt = Date.UTC(2026, 0, 1);

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  clearImmediate: globalThis.clearImmediate,
  dateNow: Date.now,
  performanceNow: performance.now,
  sleep: timersPromises.setTimeout,
  nextTurn: timersPromises.setImmediate,
};

/**
 * Time and order of a simulation. While it runs, it owns all timers of the process: each step runs with everything that it
 * triggers at once, before the next step, so that one seed gives one history.
 */
export class Scheduler {
  /** Time since the start, in ms. */
  now = 0;
  /** Number of steps so far. */
  steps = 0;
  #count = 0;
  #heap: Step[] = [];
  /** The process whose code runs. */
  owner: Owner;

  constructor(world: Owner) {
    this.owner = world;
  }

  /** Time of a correct clock, in ms since 1970. */
  get clock(): number {
    return startAt + this.now;
  }

  /** Runs something in `ms`, unless its owner has ended by then. @returns a function that cancels it */
  after(ms: number, owner: Owner, run: () => void): () => void {
    return this.at(this.now + ms, owner, run);
  }

  /** Like `after`, but at a time. */
  at(at: number, owner: Owner, run: () => void): () => void {
    this.#count += 1;
    const step = { at, n: this.#count, owner, run, isOver: false };
    push(this.#heap, step);
    return () => {
      step.isOver = true;
    };
  }

  /** Pauses an owner for this long. If it is already paused, it does not wake earlier, and its steps keep their order. */
  stop(owner: Owner, ms: number): void {
    owner.wakesAt = Math.max(owner.wakesAt, this.now + ms);
  }

  /** Runs something as another owner, who also owns what it triggers. */
  as<T>(owner: Owner, run: () => T): T {
    const before = this.owner;
    this.owner = owner;
    try {
      return run();
    } finally {
      this.owner = before;
    }
  }

  /** Runs steps until `isDone`, checked after each, or until this time. */
  async play(isDone: () => boolean, untilMs: number): Promise<void> {
    const restore = this.#takeTimers();
    try {
      for (let step = pop(this.#heap); step; step = pop(this.#heap)) {
        const { owner } = step;
        if (step.isOver || owner.isDead) continue;
        if (owner.wakesAt > step.at) {
          step.at = owner.wakesAt;
          push(this.#heap, step);
          continue;
        }
        if (step.at > untilMs) return;
        this.now = Math.max(this.now, step.at);
        this.steps += 1;
        this.owner = owner;
        step.isOver = true;
        step.run();
        await new Promise<void>((resolve) => real.setImmediate(resolve));
        if (isDone()) return;
      }
    } finally {
      restore();
    }
  }

  #takeTimers(): () => void {
    const every = (run: () => void, ms: number) => {
      let stop = () => {};
      const { owner } = this;
      const again = () => {
        stop = this.after(Math.max(ms, 1), owner, () => {
          again();
          run();
        });
      };
      again();
      return makeTimer(() => stop());
    };
    const later = (run: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      makeTimer(this.after(Math.max(ms, 1), this.owner, () => run(...args)));
    const soon = (run: (...args: unknown[]) => void, ...args: unknown[]) =>
      makeTimer(this.after(0, this.owner, () => run(...args)));
    const clear = (timer?: { clear?: () => void }) => timer?.clear?.();
    const wait = (ms: number, value: unknown, signal: AbortSignal | undefined) =>
      new Promise((resolve, reject) => {
        const onAbort = () => {
          stop();
          reject(Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), abortMarks));
        };
        const stop = this.after(ms, this.owner, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve(value);
        });
        if (signal?.aborted) onAbort();
        else signal?.addEventListener('abort', onAbort, { once: true });
      });
    Object.assign(globalThis, {
      setTimeout: later,
      setInterval: every,
      setImmediate: soon,
      clearTimeout: clear,
      clearInterval: clear,
      clearImmediate: clear,
    });
    Date.now = () => this.clock;
    performance.now = () => this.now;
    Object.assign(timersPromises, {
      setTimeout: (ms = 1, value?: unknown, options?: { signal?: AbortSignal }) => wait(ms, value, options?.signal),
      setImmediate: (value?: unknown, options?: { signal?: AbortSignal }) => wait(0, value, options?.signal),
    });
    syncBuiltinESMExports();
    return () => {
      const { dateNow, performanceNow, sleep, nextTurn, ...timers } = real;
      Object.assign(globalThis, timers);
      Date.now = dateNow;
      performance.now = performanceNow;
      Object.assign(timersPromises, { setTimeout: sleep, setImmediate: nextTurn });
      syncBuiltinESMExports();
    };
  }
}

const abortMarks = { name: 'AbortError', code: 'ABORT_ERR' };

function makeTimer(clear: () => void) {
  const timer = { clear, unref: () => timer, ref: () => timer, hasRef: () => true };
  return timer;
}

function isBefore(a: Step, b: Step): boolean {
  return a.at < b.at || (a.at === b.at && a.n < b.n);
}

function push(heap: Step[], step: Step): void {
  let child = heap.push(step) - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (isBefore(heap[parent] as Step, step)) break;
    heap[child] = heap[parent] as Step;
    child = parent;
  }
  heap[child] = step;
}

function pop(heap: Step[]): Step | undefined {
  const [first] = heap;
  const last = heap.pop();
  if (!last || heap.length === 0) return first;
  let parent = 0;
  for (let child = 1; child < heap.length; child = 2 * parent + 1) {
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Step, heap[child] as Step)) child += 1;
    if (isBefore(last, heap[child] as Step)) break;
    heap[parent] = heap[child] as Step;
    parent = child;
  }
  heap[parent] = last;
  return first;
}
