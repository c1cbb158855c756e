import type { Json } from '@parleyhq/core';

const write = (count: number): string => count.toLocaleString('en');

/** Describes what a turn cost, in one line; empty if its agent counts no tokens. */
export function describeUsage(usage: Json | undefined): string {
  if (typeof usage !== 'object' || usage === null || Array.isArray(usage)) return '';
  const count = (key: string) => (typeof usage[key] === 'number' ? usage[key] : 0);
  const cached = count('cacheReadTokens');
  const read = count('inputTokens') + count('cacheWriteTokens') + cached;
  const written = count('outputTokens');
  if (read + written === 0) return '';
  const requests = count('requests');
  return [
    `${write(read)} tokens read${cached > 0 ? `, ${write(cached)} from cache` : ''}`,
    `${write(written)} written`,
    ...(requests > 1 ? [`${write(requests)} requests`] : []),
  ].join(' · ');
}
