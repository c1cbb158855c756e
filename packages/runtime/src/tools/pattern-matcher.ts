import { anchorPattern, type Matches } from '@parleyhq/core';
import { RegexBudget } from './bounded-regex.ts';

/**
 * Makes the core's `Matches` for one decision, bounded in time: an expression that exceeds the remaining time does not match, nor
 * does any after it, and `onTimeout` is called once.
 * @param onSpent - receives how long each match took, in ms
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
    return false; // an invalid expression: forms with one are refused before anybody answers
  }
}
