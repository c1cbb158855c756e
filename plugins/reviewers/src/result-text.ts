import { type ReviewResult, readReviewResult } from '@parleyhq/core';

/** Exactly one object of two members that are strings: `JSON.parse` would let the second of two verdicts win. */
const string = '"(?:[^"\\\\]|\\\\.)*"';
const twoMembers = new RegExp(
  `^\\s*\\{\\s*${string}\\s*:\\s*${string}\\s*,\\s*${string}\\s*:\\s*${string}\\s*\\}\\s*$`,
);

/** Reads what a program printed. @throws Error if it is not exactly one object with a verdict and a reason */
export function readResultText(text: string): ReviewResult {
  const result = findResult(text);
  if (!result) throw new Error('it must print { "verdict": "pass" or "ask", "reason": a text }, and nothing else');
  return result;
}

/** Reads the JSON of a result; undefined if it is not exactly one object with a verdict and a reason. */
export function findResult(text: string): ReviewResult | undefined {
  return twoMembers.test(text) ? readReviewResult(parse(text)) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
