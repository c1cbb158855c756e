import { type Json, limits, ToolError, type ToolErrorCode, writeJson } from '@parleyhq/core';
import { isTooDeep, storedDepth } from '../node/json-depth.ts';
import { LimitError } from './limit-error.ts';

/**
 * What a handler returned or a hook completed with, as JSON; `undefined` is null (PLG6).
 * @throws ToolError `invalid_result` (or `code`) for what JSON would lose or cannot carry
 */
export function toResult(value: unknown, code: ToolErrorCode = 'invalid_result'): Json {
  const text = stringify(value, code);
  if (Buffer.byteLength(text) > limits.resultBytes) {
    throw new LimitError('resultBytes', code, 'The result is larger than 1 MiB.');
  }
  return JSON.parse(text);
}

function stringify(value: unknown, code: ToolErrorCode): string {
  try {
    return toJsonText(value === undefined ? null : value, 'the result');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ToolError(code, `The result is not JSON: ${reason}.`, { cause });
  }
}

/** @param whole - what the value itself is called. @throws TypeError naming the first member that JSON would lose, by its path, or saying that it nests too deep */
export function toJsonText(value: unknown, whole: string, maxDepth = storedDepth): string {
  const text = withoutOverflow(() => writeJson(value, whole));
  if (text === undefined || isTooDeep(text, maxDepth)) {
    throw new TypeError(`${whole} nests deeper than ${storedDepth} levels`);
  }
  return text;
}

/** Undefined where the stack is full. */
function withoutOverflow<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
