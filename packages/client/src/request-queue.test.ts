import { type ClientFrame, RefusalError } from '@parleyhq/core';
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

test.each([
  { type: 'user_message', sessionId: 's', messageId: 'm', text: 'hello' } as const,
  { type: 'deny_open', sessionId: 's', turnId: 't', messageId: 'm', text: 'Write a plan first.' } as const,
])('[FRM6, REV5] words whose reply was lost are counted, and sent again with the same ids: $type', async (words) => {
  const sent: ClientFrame[] = [];
  const queue = new RequestQueue((frame) => sent.push(frame) > 0);
  queue.flush();
  const done = queue.request(words);
  queue.lose();
  expect(queue.countUnsent()).toEqual({ answers: 0, messages: 1 });
  queue.flush();
  expect(sent).toEqual([sent[0], sent[0]]);
  expect(sent[0]).toMatchObject(words);
  const { requestId } = sent[0] as { requestId: string };
  queue.receive({ type: 'reply', requestId, ok: true, result: { seq: 7 } });
  expect(await done).toEqual({ seq: 7 });
});
