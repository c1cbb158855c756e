import type { ChatEvent } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { AwaitedTurns } from './awaited-turns.ts';

const event = (type: string, payload: object, turnId = 't1') => ({ type, payload, turnId }) as unknown as ChatEvent;
const message = (messageId: string) => event('user_message', { messageId });
const start = (turnId: string) => event('turn_start', {}, turnId);
const end = (turnId: string, status: string, error?: object) => event('turn_end', { status, error }, turnId);

test('[ACP3] a prompt ends with its own turn, not with one before or after it', async () => {
  const turns = new AwaitedTurns();
  const mine = turns.expect('mine');
  for (const each of [message('other'), start('t1'), end('t1', 'cancelled')]) turns.follow(each);
  expect(turns.has('mine')).toBe(true);
  for (const each of [message('mine'), start('t2'), end('t2', 'completed')]) turns.follow(each);
  expect(await mine).toBe('end_turn');
  expect(turns.has('mine')).toBe(false);
});

test.each([
  ['cancelled', undefined, 'cancelled'],
  ['error', { code: 'max_rounds', message: 'Too many.' }, 'max_turn_requests'],
  ['error', { code: 'token_budget', message: 'Too much.' }, 'max_tokens'],
  ['error', { code: 'refusal', message: 'No.' }, 'refusal'],
])('[ACP3] a turn that ends as %s (%j) is %s', async (status, error, reason) => {
  const turns = new AwaitedTurns();
  const mine = turns.expect('mine');
  for (const each of [message('mine'), start('t1'), end('t1', status, error)]) turns.follow(each);
  expect(await mine).toBe(reason);
});

test('[ACP3] a failed turn is an error with its code, and a message taken back is cancelled', async () => {
  const turns = new AwaitedTurns();
  const [failed, returned] = [turns.expect('failed'), turns.expect('returned')];
  const error = { code: 'agent_stopped', message: 'It died.' };
  for (const each of [message('failed'), start('t1'), end('t1', 'error', error)]) turns.follow(each);
  turns.follow(event('message_unqueued', { messageId: 'returned', reason: 'returned' }));
  await expect(failed).rejects.toMatchObject({ code: -32_603, message: 'It died.', data: { code: 'agent_stopped' } });
  expect(await returned).toBe('cancelled');
});
