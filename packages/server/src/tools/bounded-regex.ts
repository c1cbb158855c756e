import { createContext, Script } from 'node:vm';
import { isRecord, limits } from '@parleyhq/core';

const sandbox = createContext(Object.create(null));
const script = new Script('work()');

/** What guarding one expression costs, in microseconds: a form with the most fields keeps its budget for matching. */
const guardUs = 100;

/**
 * Processor time for what may meet regular expressions of a plugin or a model, all of them together: one that explodes
 * would stop the loop, and so would two hundred that nearly do (SEC6, SEC11).
 */
export class RegexBudget {
  #leftUs = limits.patternMs * 1000;

  /** The result of the work; undefined where it would have taken longer than what is left. */
  run<T>(work: () => T): { readonly value: T } | undefined {
    sandbox.work = work;
    while (this.#leftUs > 0) {
      // on a busy machine the clock runs and the expression does not
      const start = process.cpuUsage();
      try {
        return { value: script.runInContext(sandbox, { timeout: Math.ceil(this.#leftUs / 1000) }) };
      } catch (error) {
        if (!isTimeout(error)) throw error;
      } finally {
        const { user, system } = process.cpuUsage(start);
        this.#leftUs -= Math.max(0, user + system - guardUs);
      }
    }
    return undefined;
  }
}

/** The same for a single piece of work. */
export function runBounded<T>(work: () => T): { readonly value: T } | undefined {
  return new RegexBudget().run(work);
}

/** The error is one of the sandbox's realm: no `instanceof` knows it. */
function isTimeout(error: unknown): boolean {
  return isRecord(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
