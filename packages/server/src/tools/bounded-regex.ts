import { createContext, Script } from 'node:vm';
import { isRecord, limits } from '@parleyhq/core';

const sandbox = createContext(Object.create(null));
const script = new Script('work()');

/**
 * The result of what may meet a regular expression of a plugin or a model: it gets so much processor time, for one that
 * explodes would stop the loop (SEC6). Undefined where it took longer.
 */
export function runBounded<T>(work: () => T): { readonly value: T } | undefined {
  sandbox.work = work;
  const start = process.cpuUsage();
  do {
    try {
      return { value: script.runInContext(sandbox, { timeout: limits.patternMs }) };
    } catch (error) {
      if (!isTimeout(error)) throw error;
    }
  } while (!isUsedUp(process.cpuUsage(start))); // on a busy machine the clock runs and the expression does not
  return undefined;
}

/** The error is one of the sandbox's realm: no `instanceof` knows it. */
function isTimeout(error: unknown): boolean {
  return isRecord(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function isUsedUp({ user, system }: NodeJS.CpuUsage): boolean {
  return user + system >= limits.patternMs * 1000;
}
