import type { Instant, PromptRef } from '@parleyhq/core';

/** Delays in ms: 1 s, 2 s, 4 s … and then an hour each, for about a day. */
const firstMs = 1000;
const longestMs = 3_600_000;
const maxFailures = 35;

type Place = PromptRef & { readonly target: string };

interface Retry {
  readonly target: string;
  readonly at: Instant;
  readonly failures: number;
}

/**
 * When messages that could not be changed are tried again. A restart forgets it and tries at once: whether a message must be changed
 * is in the store.
 */
export class CardRetries {
  readonly #now: () => Instant;
  readonly #retries = new Map<string, Retry>();

  constructor(now: () => Instant) {
    this.#now = now;
  }

  isDue(place: Place, now: Instant): boolean {
    return (this.#retries.get(keyOf(place))?.at ?? 0) <= now;
  }

  /** Returns when the next of a target is due that is not due yet; infinity if none is waiting. */
  nextOf(target: string, now: Instant): Instant {
    const times = [...this.#retries.values()].filter((each) => each.target === target).map(({ at }) => at);
    return Math.min(Number.POSITIVE_INFINITY, ...times.filter((at) => at > now));
  }

  /** Plans another attempt after a failed one. Returns false if there were too many. */
  plan(place: Place, askedMs: number | undefined): boolean {
    const failures = (this.#retries.get(keyOf(place))?.failures ?? 0) + 1;
    if (failures >= maxFailures) {
      this.forget(place);
      return false;
    }
    const delayMs = Math.max(Math.min(firstMs * 2 ** (failures - 1), longestMs), askedMs ?? 0);
    const at = this.#now() + Math.min(delayMs, longestMs);
    this.#retries.set(keyOf(place), { target: place.target, at, failures });
    return true;
  }

  forget(place: Place): void {
    this.#retries.delete(keyOf(place));
  }

  /** Forgets the messages of all other targets. */
  keepOnly(targets: ReadonlySet<string>): void {
    for (const [key, { target }] of this.#retries) if (!targets.has(target)) this.#retries.delete(key);
  }
}

/** Returns a key for a message; ids contain no spaces. */
function keyOf({ target, sessionId, interactionId }: Place): string {
  return `${target} ${sessionId} ${interactionId}`;
}
