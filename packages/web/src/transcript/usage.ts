import { isRecord, type Json } from '@parleyhq/core';

const write = (count: number): string => count.toLocaleString('en');

/** Describes what a turn cost, in one line; empty if its agent counts nothing of it. */
export function describeUsage(usage: Json | undefined): string {
  if (!isRecord(usage)) return '';
  const count = (key: string) => (typeof usage[key] === 'number' ? usage[key] : 0);
  const cached = count('cacheReadTokens');
  const read = count('inputTokens') + count('cacheWriteTokens') + cached;
  const written = count('outputTokens');
  const requests = count('requests');
  const size = count('contextSize');
  const { amount, currency } = isRecord(usage.cost) ? usage.cost : {};
  const fromCache = cached > 0 ? `, ${write(cached)} from cache` : '';
  return [
    read + written > 0 && `${write(read)} tokens read${fromCache} · ${write(written)} written`,
    requests > 1 && `${write(requests)} requests`,
    size > 0 && `${write(count('contextTokens'))} of ${write(size)} tokens of context`,
    currency && `${amount} ${currency}`,
  ]
    .filter(Boolean)
    .join(' · ');
}
