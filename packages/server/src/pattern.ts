import { createContext, Script } from 'node:vm';
import { anchorPattern, isRecord } from '@parley/core';

/** A plugin's or a model's regular expression gets so much processor time (SEC6); a longer one does not match. */
const limitMs = 50;

const sandbox = createContext(Object.create(null));
const script = new Script('new RegExp(source, "u").test(value)');

/** `Matches` of the core, bounded in time: a regular expression that explodes cannot stop the loop. */
export function matchPattern(pattern: string, value: string): boolean {
  sandbox.source = anchorPattern(pattern);
  sandbox.value = value;
  const start = process.cpuUsage();
  do {
    try {
      return script.runInContext(sandbox, { timeout: limitMs }) === true;
    } catch (error) {
      if (!isTimeout(error)) return false; // no regular expression
    }
  } while (!isUsedUp(process.cpuUsage(start))); // on a busy machine the clock runs and the expression does not
  return false;
}

/** The error is one of the sandbox's realm: no `instanceof` knows it. */
function isTimeout(error: unknown): boolean {
  return isRecord(error) && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

function isUsedUp({ user, system }: NodeJS.CpuUsage): boolean {
  return user + system >= limitMs * 1000;
}
