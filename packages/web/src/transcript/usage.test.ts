import { expect, test } from 'vitest';
import { describeUsage } from './usage.ts';

const counted = { requests: 3, inputTokens: 345, outputTokens: 812, cacheWriteTokens: 2000, cacheReadTokens: 10_000 };

test.each([
  ['everything is counted', counted, '12,345 tokens read, 10,000 from cache · 812 written · 3 requests'],
  ['one request without a cache', { requests: 1, inputTokens: 7, outputTokens: 3 }, '7 tokens read · 3 written'],
  [
    'no request got through',
    { ...counted, requests: 0, inputTokens: 0, outputTokens: 0, cacheWriteTokens: 0, cacheReadTokens: 0 },
    '',
  ],
  ['counts of another kind', { seconds: 12, inputTokens: 'many' }, ''],
  [
    'the context and a price',
    { contextTokens: 1200, contextSize: 200_000, cost: { amount: 0.01, currency: 'USD' } },
    '1,200 of 200,000 tokens of context · 0.01 USD',
  ],
  ['a price alone', { cost: { amount: 2, currency: 'EUR' } }, '2 EUR'],
  ['a price of another kind', { cost: '2 EUR' }, ''],
  ['not an object', [1, 2], ''],
  ['null', null, ''],
  ['nothing', undefined, ''],
])('[AGT2] the cost of a turn: %s', (_, usage, words) => {
  expect(describeUsage(usage)).toBe(words);
});
