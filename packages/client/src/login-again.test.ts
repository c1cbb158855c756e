import { RefusalError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { RequestQueue } from './request-queue.ts';

const answer = { type: 'tool_interaction_response', sessionId: 's', callId: 'c', interactionId: 'c.1' } as const;
const held = { ...answer, answerId: 'a', action: 'approve', approvalScope: 'always' } as const;

/** A server that accepts requests after the token was entered again. */
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

test('[SEC9, FRM6] a request that needs the token is sent again unchanged after the person entered it', async () => {
  const { queue, sent, server } = makeQueue(async () => {
    server.isShown = true;
    return true;
  });
  await queue.request(held);
  expect(sent).toEqual([held, held]);
});

test.each([
  ['the person does not enter the token', async () => false],
  ['the dialog cannot be shown', () => Promise.reject(new Error('offline'))],
  ['nobody can be asked', undefined],
])('[SEC9] if %s, the request is rejected', async (_, logInAgain) => {
  const { queue, sent } = makeQueue(logInAgain);
  await expect(queue.request(held)).rejects.toMatchObject({ code: 'login_again' });
  expect(sent).toEqual([held]);
});
