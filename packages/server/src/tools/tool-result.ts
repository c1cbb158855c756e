import { type Json, limits, ToolError, type ToolErrorCode } from '@parleyhq/core';
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

function writeJson(value: unknown, whole: string): string {
  const paths = new Map<unknown, string>();
  return JSON.stringify(value, function (this: unknown, key, member) {
    const parent = paths.get(this);
    const path = parent === undefined ? key : [parent, key].filter((part) => part !== '').join('.');
    if (isLost(member)) throw new TypeError(`${path === '' ? whole : `"${path}"`} is ${describe(member)}`);
    if (typeof member === 'object' && member !== null) paths.set(member, path);
    return member;
  });
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

function isLost(value: unknown): boolean {
  switch (typeof value) {
    case 'function':
    case 'symbol':
    case 'bigint':
      return true;
    case 'number':
      return !Number.isFinite(value);
    case 'object':
      return value instanceof Map || value instanceof Set || value instanceof Promise || value instanceof Error;
    default:
      return false;
  }
}

function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'object' && value !== null ? `a ${value.constructor.name}` : `a ${typeof value}`;
}
