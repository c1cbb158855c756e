import type { PromptRef } from '@parleyhq/core';
import { keyOf } from './delivery-log.ts';

/** The work in progress, by target and prompt. */
export class Busy {
  readonly #byTarget = new Map<string, Map<string, Promise<void>>>();

  /** Returns how much is in progress for a target. */
  countOf(target: string): number {
    return this.#byTarget.get(target)?.size ?? 0;
  }

  /** Returns what is in progress for a target about a prompt. It never rejects, and has left this list when it resolves. */
  find(target: string, about: PromptRef): Promise<void> | undefined {
    return this.#byTarget.get(target)?.get(keyOf(about));
  }

  /** @param work - about which nothing is in progress for this target; must not reject */
  run(target: string, about: PromptRef, work: () => Promise<void>): void {
    const ofTarget = this.#byTarget.get(target) ?? new Map<string, Promise<void>>();
    this.#byTarget.set(target, ofTarget);
    const end = () => {
      ofTarget.delete(keyOf(about));
      if (ofTarget.size === 0) this.#byTarget.delete(target);
    };
    ofTarget.set(keyOf(about), work().finally(end));
  }
}
