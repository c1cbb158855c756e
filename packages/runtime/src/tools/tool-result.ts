import { callFaults, isTooDeep, type Json, limits, storedDepth, type ToolErrorCode, writeJson } from '@parleyhq/core';
import { LimitError } from './limit-error.ts';

/**
 * Converts what a handler returned or a hook completed with to JSON; `undefined` becomes null (PLG6).
 * @param whole - name of the value in messages
 * @throws ToolError `invalid_result` (or `code`) for what JSON would lose or cannot carry
 */
export function toResult(value: unknown, code: ToolErrorCode = 'invalid_result', whole = 'the result'): Json {
  const text = stringify(value, code, whole);
  if (Buffer.byteLength(text) > limits.resultBytes) {
    throw new LimitError('resultBytes', code, `${begin(whole)} is larger than 1 MiB.`);
  }
  return JSON.parse(text);
}

function stringify(value: unknown, code: ToolErrorCode, whole: string): string {
  try {
    return toJsonText(value === undefined ? null : value, whole);
  } catch (cause) {
    throw callFaults.notJson(code, whole, cause);
  }
}

/** Capitalises the first letter. */
function begin(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/**
 * @param whole - name of the value in messages.
 * @throws TypeError naming the first member that JSON would lose, by its path, or saying that it nests too deeply
 */
export function toJsonText(value: unknown, whole: string, maxDepth = storedDepth): string {
  const text = withoutOverflow(() => writeJson(value, whole));
  if (text === undefined || isTooDeep(text, maxDepth)) {
    throw new TypeError(`${whole} nests deeper than ${storedDepth} levels`);
  }
  return text;
}

/** Returns undefined if the stack overflows. */
function withoutOverflow<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
