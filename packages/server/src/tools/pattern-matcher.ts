import { anchorPattern, type Matches } from '@parleyhq/core';
import { RegexBudget } from './bounded-regex.ts';

/**
 * `Matches` of the core for one decision, bounded in time: an expression that exceeds what is left does not match, nor does
 * any after it, and `onTimeout` is told once.
 * @param onSpent - told how long each took, in ms
 */
export function makeMatcher(onTimeout: () => void, onSpent: (ms: number) => void = () => undefined): Matches {
  const budget = new RegexBudget();
  let isSpent = false;
  return (pattern, value) => {
    const source = anchorPattern(pattern);
    const before = budget.spentMs;
    const result = budget.run(() => matches(source, value));
    onSpent(budget.spentMs - before);
    if (!result && !isSpent) onTimeout();
    isSpent ||= !result;
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
