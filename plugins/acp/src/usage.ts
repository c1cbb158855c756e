import { isRecord, type Json } from '@parleyhq/core';

/** Our names, and those of a prompt's result and of `usage_update`. */
const names = {
  inputTokens: 'inputTokens',
  outputTokens: 'outputTokens',
  cacheReadTokens: 'cachedReadTokens',
  cacheWriteTokens: 'cachedWriteTokens',
  contextTokens: 'used',
  contextSize: 'size',
} as const;

/** Reads what an agent reports of the cost. */
export function readUsage(reported: unknown): Record<string, Json> {
  if (!isRecord(reported)) return {};
  const numbers = Object.entries(names)
    .map(([ours, theirs]) => [ours, reported[theirs]] as const)
    .filter(([, value]) => typeof value === 'number');
  const { cost } = reported;
  const money = isRecord(cost) && typeof cost.amount === 'number' && typeof cost.currency === 'string';
  return {
    ...(Object.fromEntries(numbers) as Record<string, Json>),
    ...(money && { cost: { amount: cost.amount as Json, currency: cost.currency as Json } }),
  };
}
