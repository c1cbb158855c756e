import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { abortAfter } from './abort-after.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const untilAborted = (until: AbortSignal) =>
  new Promise<unknown>((resolve) => {
    const nested = AbortSignal.any([until, new AbortController().signal]);
    nested.addEventListener('abort', () => resolve(nested.reason), { once: true });
  });

test('[ASK4] the signal aborts after its time, also if the heap was cleared meanwhile', async () => {
  const waits = Array.from({ length: 20 }, () => abortAfter(50, [new AbortController().signal], untilAborted));
  for (let n = 0; n < 3; n += 1) {
    await new Promise(setImmediate);
    collect();
  }
  for (const reason of await Promise.all(waits)) expect(reason).toMatchObject({ name: 'TimeoutError' });
});

test('[ASK4] without a limit it aborts only with one of the others', async () => {
  const gone = new AbortController();
  const wait = abortAfter(Number.POSITIVE_INFINITY, [gone.signal], untilAborted);
  gone.abort('gone');
  expect(await wait).toBe('gone');
});
