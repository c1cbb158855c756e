import { StoreError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { codeOf } from '../testing/store-contract/make.ts';
import { CommitQueue } from './commit-queue.ts';

test('[DUR8] a tick is one transaction, and the next tick another', async () => {
  let transactions = 0;
  const queue = new CommitQueue((writeAll) => {
    transactions += 1;
    writeAll();
  });
  await Promise.all([queue.write(() => 1), queue.write(() => 2), queue.write(() => 3)]);
  expect(transactions).toBe(1);
  expect(await queue.write(() => 4)).toBe(4);
  expect(transactions).toBe(2);
});

test('[DUR8] a temporary lock costs only time', async () => {
  const locked = [true, true, false];
  const order: string[] = [];
  const queue = new CommitQueue((writeAll) => {
    writeAll();
    if (locked.shift()) throw new StoreError('busy', 'locked');
  });
  const first = queue.write(() => order.push('first'));
  await new Promise((resolve) => setTimeout(resolve, 10));
  const second = queue.write(() => order.push('second'));
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'first', 'first', 'second']);
});

test('[DUR8] an unexpected error fails its whole tick, but not the next', async () => {
  const queue = new CommitQueue((writeAll) => writeAll());
  const fault = () => {
    throw new TypeError('not a text');
  };
  const verdicts = await Promise.all([queue.write(() => 1), queue.write(fault)].map(codeOf));
  expect(verdicts).toEqual(['StoreError failed', 'StoreError failed']);
  expect(await queue.write(() => 1)).toBe(1);
});

test('[DUR8] closing waits for accepted writes', async () => {
  const queue = new CommitQueue((writeAll) => writeAll());
  let isWritten = false;
  const write = queue.write(() => {
    isWritten = true;
  });
  await queue.close();
  expect(isWritten).toBe(true);
  await write;
  await queue.close();
  expect(await codeOf(queue.write(() => 1))).toBe('StoreError failed');
});
