import type { FrameBatch } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Outbox } from './broadcast.ts';
import type { Subscription } from './subscription.ts';

/** A live subscription whose connection reads its batches when `read` says. */
function subscribe(outbox: Outbox, read: (take: () => void) => void): number[] {
  const seqs: number[] = [];
  const send = (batch: FrameBatch) => read(() => seqs.push(...batch.texts.map((text) => JSON.parse(text).event.seq)));
  outbox.add({ client: { subscriptions: new Map() }, isLive: true, send, end() {} } as unknown as Subscription);
  return seqs;
}

const sendEvents = (outbox: Outbox, ...seqs: number[]) => {
  for (const seq of seqs) outbox.sendEvent(JSON.stringify({ seq }));
};

test('[EVT1] connections get every event once and in order, whenever they write', async () => {
  const outbox = new Outbox('s');
  const atOnce = subscribe(outbox, (take) => take());
  const soon = subscribe(outbox, (take) => queueMicrotask(take));
  const later = subscribe(outbox, (take) => process.nextTick(take));
  const last = subscribe(outbox, (take) => setImmediate(take));
  sendEvents(outbox, 1, 2);
  await Promise.resolve();
  sendEvents(outbox, 3);
  await new Promise((resolve) => process.nextTick(resolve));
  sendEvents(outbox, 4, 5);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  for (const seqs of [atOnce, soon, later, last]) expect(seqs).toEqual([1, 2, 3, 4, 5]);
});

test('events of one tick are one batch for connections that write at its end', async () => {
  const outbox = new Outbox('s');
  const batches: FrameBatch[] = [];
  const send = (batch: FrameBatch) => batches.push(batch);
  outbox.add({ client: { subscriptions: new Map() }, isLive: true, send, end() {} } as unknown as Subscription);
  sendEvents(outbox, 1, 2, 3);
  await new Promise((resolve) => process.nextTick(resolve));
  sendEvents(outbox, 4);
  expect(batches.map(({ texts }) => texts.length)).toEqual([3, 1]);
});
