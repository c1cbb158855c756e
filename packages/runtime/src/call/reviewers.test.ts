import { afterEach, expect, test, vi } from 'vitest';
import { Reviewers, type ReviewersHost } from './reviewers.ts';

afterEach(() => void vi.useRealTimers());

test('[LESS3] a reviewer that ignores its signal leaves no timer that would keep a stopped server alive', async () => {
  vi.useFakeTimers();
  const stopping = new AbortController();
  const log = { warn: () => undefined };
  const host = { log, logOf: () => log, limitMs: 600_000, stopping: stopping.signal } as unknown as ReviewersHost;
  const deaf = { name: 'deaf', review: () => new Promise<never>(() => undefined) };
  const reviewers = new Reviewers({ plugins: [{ name: 'guards', tools: [], reviewers: [deaf] }] }, host);
  await reviewers.open([{ tool: '*', effect: 'review', reviewer: 'deaf' }]);
  const review = { reviewer: 'deaf', maxRisk: 'low', sample: 0 } as const;
  const judged = reviewers.review(review, { toolName: 't', args: {} } as never, undefined);
  stopping.abort();
  expect(await judged).toMatchObject({ isPassed: false, reviewed: { cause: 'fault' } });
  expect(vi.getTimerCount()).toBe(0);
});
