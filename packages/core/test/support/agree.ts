import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';

/**
 * Asserts `expect(actual).toEqual(expected)`, ten times as fast if they are equal: for properties that compare millions of times.
 */
export function agree(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}
