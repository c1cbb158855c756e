import { StoreError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { CommitQueue } from './commit-queue.ts';
import { codeOf } from './testing/contract/make.ts';

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

/** A store of lines that supports transactions. */
function linesOf(lines: string[]): CommitQueue {
  return new CommitQueue((writeAll) => {
    const before = [...lines];
    try {
      writeAll();
    } catch (error) {
      lines.splice(0, lines.length, ...before);
      throw error;
    }
  });
}

const fault = () => {
  throw new TypeError('not a text');
};

test('[DUR8] a write that fails unexpectedly fails alone: its neighbours are stored once, and all settle in order', async () => {
  const lines: string[] = [];
  const settled: string[] = [];
  const queue = linesOf(lines);
  const put = (name: string, work: () => unknown = () => undefined) =>
    codeOf(
      queue.write(() => {
        lines.push(name);
        work();
      }),
    ).then((code) => settled.push(`${name}: ${code}`));
  await Promise.all([put('a'), put('b', fault), put('c'), put('d', fault), put('e')]);
  expect(lines).toEqual(['a', 'c', 'e']);
  expect(settled).toEqual(['a: ok', 'b: StoreError failed', 'c: ok', 'd: StoreError failed', 'e: ok']);
});

test('[DUR8] if everything fails, each write is refused, and the next tick starts afresh', async () => {
  const lines: string[] = [];
  const queue = linesOf(lines);
  const verdicts = await Promise.all(Array.from({ length: 100 }, () => codeOf(queue.write(fault))));
  expect(new Set(verdicts)).toEqual(new Set(['StoreError failed']));
  expect(await queue.write(() => lines.push('next'))).toBe(1);
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
