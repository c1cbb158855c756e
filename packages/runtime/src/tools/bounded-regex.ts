import { createContext, Script } from 'node:vm';
import { isRecord, limits } from '@parleyhq/core';

const sandbox = createContext(Object.create(null));
const script = new Script('work()');

/**
 * CPU time shared by all work that may evaluate regular expressions of plugins or models: a single catastrophic one would block
 * the event loop, and so would two hundred slow ones (SEC6, SEC11).
 */
export class RegexBudget {
  #leftUs = limits.patternMs * 1000;
  #spentUs = 0;

  /** Time used so far, in ms. */
  get spentMs(): number {
    return this.#spentUs / 1000;
  }

  /**
   * Runs the work. Returns undefined if it would take longer than the time left. Guarding it costs a thread, which is not charged:
   * a form with the most fields keeps its budget for matching.
   */
  run<T>(work: () => T): { readonly value: T } | undefined {
    while (this.#leftUs > 0) {
      const withGuard = startStopwatch();
      let spentUs: number | undefined;
      sandbox.work = () => {
        const spent = startStopwatch();
        const value = work();
        spentUs = spent();
        return value;
      };
      try {
        return { value: script.runInContext(sandbox, { timeout: Math.ceil(this.#leftUs / 1000) }) };
      } catch (error) {
        if (!isTimeout(error)) throw error;
      } finally {
        const us = spentUs ?? withGuard();
        this.#spentUs += us;
        this.#leftUs -= us;
      }
    }
    return undefined;
  }
}

/**
 * Returns a function that gives the microseconds since now, as wall clock or CPU time, whichever is less: on a busy machine the
 * clock runs while the expression does not, and other threads of the process use the CPU.
 */
function startStopwatch(): () => number {
  const begin = performance.now();
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return Math.min(user + system, (performance.now() - begin) * 1000);
  };
}

/** Runs a single piece of work with a budget of its own. */
export function runBounded<T>(work: () => T): { readonly value: T } | undefined {
  return new RegexBudget().run(work);
}

/** Whether an error is the sandbox's timeout. It comes from another realm, so `instanceof` does not work. */
function isTimeout(error: unknown): boolean {
  return isRecord(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
