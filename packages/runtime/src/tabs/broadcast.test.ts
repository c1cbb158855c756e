import type { FrameBatch } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Broadcast } from './broadcast.ts';
import type { Client } from './client.ts';
import { Subscription } from './subscription.ts';
import { Subscriptions } from './subscriptions.ts';

const noLog = { read: async function* () {} };

/** Makes a broadcast and a function that follows it with a connection that hands each batch to `take`. */
function openBroadcast() {
  const subscriptions = new Subscriptions();
  const follow = async (take: (batch: FrameBatch) => void) => {
    const isLive: FrameBatch[] = [];
    const client = { sendBatch: (batch: FrameBatch) => (isLive.length > 0 ? take(batch) : isLive.push(batch)) };
    const subscription = new Subscription(client as unknown as Client, 's', (texts) => texts);
    subscriptions.add(subscription);
    await subscription.catchUp(
      noLog,
      0,
      () => 0,
      () => undefined,
    );
  };
  return { broadcast: new Broadcast('s', subscriptions), follow };
}

const sendEvents = (broadcast: Broadcast, ...seqs: number[]) => {
  for (const seq of seqs) broadcast.sendEvent(JSON.stringify({ seq }));
};

test('[EVT1] connections get every event once and in order, whenever they write', async () => {
  const { broadcast, follow } = openBroadcast();
  const writeAt = async (soon: (write: () => void) => void) => {
    const seqs: number[] = [];
    await follow((batch) => soon(() => seqs.push(...batch.texts.map((text) => JSON.parse(text).event.seq))));
    return seqs;
  };
  const all = [
    await writeAt((write) => write()),
    await writeAt((write) => queueMicrotask(write)),
    await writeAt((write) => process.nextTick(write)),
    await writeAt((write) => setImmediate(write)),
  ];
  sendEvents(broadcast, 1, 2);
  await Promise.resolve();
  sendEvents(broadcast, 3);
  await new Promise((resolve) => process.nextTick(resolve));
  sendEvents(broadcast, 4, 5);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  for (const seqs of all) expect(seqs).toEqual([1, 2, 3, 4, 5]);
});

test('events of one tick are one batch for connections that write at its end', async () => {
  const { broadcast, follow } = openBroadcast();
  const batches: FrameBatch[] = [];
  await follow((batch) => batches.push(batch));
  sendEvents(broadcast, 1, 2, 3);
  await new Promise((resolve) => process.nextTick(resolve));
  sendEvents(broadcast, 4);
  expect(batches.map(({ texts }) => texts.length)).toEqual([3, 1]);
});
