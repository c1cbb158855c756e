import type { Update } from 'grammy/types';
import { expect, test } from 'vitest';
import { Updates } from './updates.ts';

const [ann, bob] = [1001, 1002];

function makeUpdate(id: number, user: number, text = 'words'): Update {
  const from = { id: user, is_bot: false, first_name: 'Somebody' };
  const chat = { id: user, type: 'private' as const, first_name: 'Somebody' };
  return { update_id: id, message: { message_id: id, date: 1, chat, from, text } };
}

/** Updates that are handled until they are let go; `log` are the ids that were begun. */
function stage() {
  const log: number[] = [];
  const running = new Map<number, () => void>();
  const updates = new Updates(({ update_id: id }) => {
    log.push(id);
    return new Promise((resolve) => running.set(id, resolve));
  });
  const release = async (...ids: number[]) => {
    await new Promise(setImmediate); // what can begin has begun
    for (const id of ids) running.get(id)?.();
    await new Promise(setImmediate);
  };
  return { updates, log, release };
}

test('[CHAT4] the updates of an account are handled in order and once, and hold up nobody else', async () => {
  const { updates, log, release } = stage();
  const delivered = [makeUpdate(1, ann), makeUpdate(2, ann), makeUpdate(3, bob)];
  updates.take(delivered);
  await release(3);
  expect(log).toEqual([1, 3]);
  updates.take([...delivered, makeUpdate(4, bob)]);
  await release(1);
  expect(log).toEqual([1, 3, 4, 2]);
});

test('[CHAT4] an update is confirmed when it and all before it were handled', async () => {
  const { updates, release } = stage();
  expect(updates.confirm()).toBeUndefined();
  updates.take([makeUpdate(7, ann), makeUpdate(8, bob)]);
  await release(8);
  expect(updates.confirm()).toBe(7);
  await release(7);
  expect(updates.confirm()).toBe(9);
  updates.take([]);
  expect(updates.confirm()).toBe(9);
});

test('[CHAT2, CHAT4] what follows a change of a link is handled once that is confirmed', async () => {
  const { updates, log, release } = stage();
  const [ended, linked] = [makeUpdate(1, ann, '/unlink'), makeUpdate(3, ann, '/start code')];
  updates.take([ended, makeUpdate(2, bob), linked]);
  await release(1, 2);
  expect([log, updates.confirm()]).toEqual([[1, 2], 3]);
  updates.take([linked]);
  await release();
  expect(log).toEqual([1, 2, 3]);
});
