import { RefusalError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { RequestQueue } from './request-queue.ts';

test('[SEC11] an exhausted quota rejects the request, which is not repeated', async () => {
  const sent: string[] = [];
  const queue: RequestQueue = new RequestQueue((frame) => {
    if (!('requestId' in frame) || frame.requestId === undefined) return true;
    const { requestId } = frame;
    sent.push(requestId);
    const details = { limit: 'messagesPerHour', retryAfterMs: 60_000 };
    const refusal = new RefusalError('rate_limited', { message: 'You may send 1 message an hour.', details });
    queueMicrotask(() => queue.receive({ type: 'reply', requestId, ok: false, error: refusal.toWire() }));
    return true;
  });
  const message = { type: 'user_message', sessionId: 's', messageId: 'm', text: 'hello' } as const;
  await expect(queue.request(message)).rejects.toMatchObject({
    code: 'rate_limited',
    message: 'You may send 1 message an hour.',
    details: { limit: 'messagesPerHour' },
  });
  expect(sent).toHaveLength(1);
});
