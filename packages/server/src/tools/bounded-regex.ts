import { createContext, Script } from 'node:vm';
import { isRecord, limits } from '@parleyhq/core';

const sandbox = createContext(Object.create(null));
const script = new Script('work()');

/** What guarding one expression costs, in microseconds: a form with the most fields keeps its budget for matching. */
const guardUs = 200;

/**
 * Processor time for what may meet regular expressions of a plugin or a model, all of them together: one that explodes
 * would stop the loop, and so would two hundred that nearly do (SEC6, SEC11).
 */
export class RegexBudget {
  #leftUs = limits.patternMs * 1000;
  #spentUs = 0;

  /** What all of it has taken, in ms. */
  get spentMs(): number {
    return this.#spentUs / 1000;
  }

  /** The result of the work; undefined where it would have taken longer than what is left. */
  run<T>(work: () => T): { readonly value: T } | undefined {
    sandbox.work = work;
    while (this.#leftUs > 0) {
      const spent = startStopwatch();
      try {
        return { value: script.runInContext(sandbox, { timeout: Math.ceil(this.#leftUs / 1000) }) };
      } catch (error) {
        if (!isTimeout(error)) throw error;
      } finally {
        const us = spent();
        this.#spentUs += us;
        this.#leftUs -= Math.max(0, us - guardUs);
      }
    }
    return undefined;
  }
}

/**
 * Microseconds since now, by the clock or of processor time, whichever is less: on a busy machine the clock runs while the
 * expression does not, and other threads of the process use the processor.
 */
function startStopwatch(): () => number {
  const begin = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return Math.min(user + system, (performance.now() - begin) * 1000);
  };
}

/** The same for a single piece of work. */
export function runBounded<T>(work: () => T): { readonly value: T } | undefined {
  return new RegexBudget().run(work);
}

/** The error is one of the sandbox's realm: no `instanceof` knows it. */
function isTimeout(error: unknown): boolean {
  return isRecord(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
