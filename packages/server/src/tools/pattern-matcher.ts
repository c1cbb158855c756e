import { anchorPattern, type Matches } from '@parleyhq/core';
import { runBounded } from './bounded-regex.ts';

/** `Matches` of the core, bounded in time: an expression that takes longer does not match, and `onTimeout` is told. */
export function makeMatcher(onTimeout: () => void): Matches {
  return (pattern, value) => {
    const source = anchorPattern(pattern);
    const result = runBounded(() => matches(source, value));
    if (!result) onTimeout();
    return result?.value ?? false;
  };
}

function matches(source: string, value: string): boolean {
  try {
    return new RegExp(source, 'u').test(value);
  } catch {
    return false; // no regular expression: forms are refused for it before anybody answers
  }
}
