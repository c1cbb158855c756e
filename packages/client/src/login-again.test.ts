import { RefusalError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { RequestQueue } from './request-queue.ts';

const answer = { type: 'tool_interaction_response', sessionId: 's', callId: 'c', interactionId: 'c.1' } as const;
const held = { ...answer, answerId: 'a', action: 'approve', approvalScope: 'always' } as const;

/** A server that takes requests once the token was shown. */
function makeQueue(logInAgain?: () => Promise<boolean>) {
  const sent: object[] = [];
  const server = { isShown: false };
  const queue: RequestQueue = new RequestQueue((frame) => {
    const { requestId = '', ...rest } = frame as { requestId?: string };
    sent.push(rest);
    const error = new RefusalError('login_again').toWire();
    const reply = { type: 'reply', requestId } as const;
    queueMicrotask(() => queue.receive(server.isShown ? { ...reply, ok: true } : { ...reply, ok: false, error }));
    return true;
  }, logInAgain);
  return { queue, sent, server };
}

test('[SEC9, FRM6] what the server holds back is sent again as it was, once the token was shown', async () => {
  const { queue, sent, server } = makeQueue(async () => {
    server.isShown = true;
    return true;
  });
  await queue.request(held);
  expect(sent).toEqual([held, held]);
});

test.each([
  ['the person does not', async () => false],
  ['the dialog cannot be shown', () => Promise.reject(new Error('offline'))],
  ['nobody can be asked', undefined],
])('[SEC9] where %s, the refusal is told', async (_, logInAgain) => {
  const { queue, sent } = makeQueue(logInAgain);
  await expect(queue.request(held)).rejects.toMatchObject({ code: 'login_again' });
  expect(sent).toEqual([held]);
});
