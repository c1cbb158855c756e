import type { Store } from '@parleyhq/core';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { openMemoryStore } from '../testing/memory-store.ts';
import { Starts } from './starts.ts';

const log = pino({ level: 'silent' });

/** The next start over the same store. */
async function start({ pluginState: state }: Pick<Store, 'pluginState'>): Promise<Starts> {
  const starts = new Starts({ state, steadyMs: 1, log });
  await starts.begin();
  return starts;
}

test('[DUR6] after two starts in a row that did not live the next is careful, and so is each until one lives', async () => {
  const store = openMemoryStore();
  const careful = async () => (await start(store)).reEntries.isCareful; // and is killed, ready or not
  expect([await careful(), await careful(), await careful(), await careful()]).toEqual([false, false, true, true]);
  const last = await start(store);
  last.open();
  await vi.waitFor(() => expect(last.reEntries.isCareful).toBe(false));
  await last.stop();
  expect(await careful()).toBe(false);
});

test('[DUR6] a start that was asked to stop counts neither way', async () => {
  const store = openMemoryStore();
  await start(store);
  for (let n = 0; n < 3; n += 1) await (await start(store)).stop();
  expect((await start(store)).reEntries.isCareful).toBe(false);
  for (let n = 0; n < 3; n += 1) await (await start(store)).stop();
  expect((await start(store)).reEntries.isCareful).toBe(true);
});
