import { createContext, Script } from 'node:vm';
import { anchorPattern } from '@parley/core';

/** A plugin's or a model's regular expression may take this long (SEC6); a longer one does not match. */
const limitMs = 50;

const sandbox = createContext(Object.create(null));
const script = new Script('new RegExp(source, "u").test(value)');

/** `Matches` of the core, bounded in time: a regular expression that explodes cannot stop the loop. */
export function matchPattern(pattern: string, value: string): boolean {
  sandbox.source = anchorPattern(pattern);
  sandbox.value = value;
  try {
    return script.runInContext(sandbox, { timeout: limitMs }) === true;
  } catch {
    return false; // took too long, or is no regular expression: either way the value was not shown to match
  }
}
