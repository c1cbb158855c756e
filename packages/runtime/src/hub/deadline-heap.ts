import type { Instant } from '@parleyhq/core';
import { systemClock } from '../node/clock.ts';

interface Alarm {
  readonly key: string;
  readonly deadline: Instant;
  /** When it is due, in elapsed time. */
  readonly at: number;
}

/** Number of stale entries that are not worth cleaning up. */
const fewEntries = 1000;

/**
 * One timer for all deadlines: a heap of entries, from which stale ones are dropped when they surface. It counts elapsed time
 * instead of reading the clock, so setting the clock neither ends a prompt nor keeps it open (INT10).
 */
export class Deadlines {
  readonly #onDue: (key: string, deadline: Instant) => void;
  readonly #due = new Map<string, Alarm>();
  #heap: Alarm[] = [];
  readonly #clock: typeof systemClock;
  #cancel: () => void = () => undefined;
  #hasStopped = false;

  constructor(onDue: (key: string, deadline: Instant) => void, clock = systemClock) {
    this.#onDue = onDue;
    this.#clock = clock;
  }

  /** Sets or moves a deadline that is `inMs` away. */
  set(key: string, deadline: Instant, inMs: number): void {
    if (this.#hasStopped) return;
    const entry = { key, deadline, at: this.#clock.elapsed() + inMs };
    this.#due.set(key, entry);
    push(this.#heap, entry);
    if (this.#heap[0]?.key === key) this.#sleep();
  }

  delete(key: string): void {
    this.#due.delete(key);
    if (this.#due.size === 0) this.#clear();
    else if (this.#heap.length > 2 * this.#due.size + fewEntries) this.#dropStale();
  }

  /** Drops all deadlines, also those that are set later. */
  stop(): void {
    this.#hasStopped = true;
    this.#clear();
  }

  #clear(): void {
    this.#cancel();
    this.#due.clear();
    this.#heap.length = 0;
  }

  /**
   * Drops stale entries, so that a prompt answered early does not stay in memory until its deadline. A sorted array is a valid
   * heap.
   */
  #dropStale(): void {
    this.#heap = [...this.#due.values()].sort((a, b) => a.at - b.at);
  }

  #sleep(): void {
    this.#cancel();
    const next = this.#heap[0];
    if (!next) return;
    this.#cancel = this.#clock.after(next.at - this.#clock.elapsed(), () => this.#wake());
  }

  #wake(): void {
    for (let next = this.#heap[0]; next; next = this.#heap[0]) {
      const isCurrent = this.#due.get(next.key) === next;
      if (isCurrent && next.at > this.#clock.elapsed()) break;
      pop(this.#heap);
      if (!isCurrent) continue;
      this.#due.delete(next.key);
      this.#onDue(next.key, next.deadline);
    }
    this.#sleep();
  }
}

function push(heap: Alarm[], entry: Alarm): void {
  let child = heap.push(entry) - 1;
  while (child > 0) {
    const parent = (child - 1) >> 1;
    if (at(heap, parent).at <= entry.at) break;
    heap[child] = at(heap, parent);
    child = parent;
  }
  heap[child] = entry;
}

function pop(heap: Alarm[]): void {
  const last = heap.pop();
  if (!last || heap.length === 0) return;
  let parent = 0;
  for (let child = 1; child < heap.length; child = 2 * parent + 1) {
    if (child + 1 < heap.length && at(heap, child + 1).at < at(heap, child).at) child += 1;
    if (at(heap, child).at >= last.at) break;
    heap[parent] = at(heap, child);
    parent = child;
  }
  heap[parent] = last;
}

function at(heap: readonly Alarm[], index: number): Alarm {
  return heap[index] as Alarm;
}
