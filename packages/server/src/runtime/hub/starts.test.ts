import type { Store } from '@parleyhq/core';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { openMemoryStore } from '../../testing/memory-store.ts';
import { Starts } from './starts.ts';

const log = pino({ level: 'silent' });

/** Starts again on the same store. */
async function start({ pluginState: state }: Pick<Store, 'pluginState'>): Promise<Starts> {
  const starts = new Starts({ state, steadyMs: 1, log });
  await starts.begin();
  return starts;
}

test('[DUR6] after two starts in a row that ended early, each start is careful until one lasts', async () => {
  const store = openMemoryStore();
  const careful = async () => (await start(store)).reEntries.isCareful; // the process is killed afterwards, ready or not
  expect([await careful(), await careful(), await careful(), await careful()]).toEqual([false, false, true, true]);
  const last = await start(store);
  last.open();
  await vi.waitFor(() => expect(last.reEntries.isCareful).toBe(false));
  await last.stop();
  expect(await careful()).toBe(false);
});

test('[DUR6] a start that was asked to stop does not count', async () => {
  const store = openMemoryStore();
  await start(store);
  for (let n = 0; n < 3; n += 1) await (await start(store)).stop();
  expect((await start(store)).reEntries.isCareful).toBe(false);
  for (let n = 0; n < 3; n += 1) await (await start(store)).stop();
  expect((await start(store)).reEntries.isCareful).toBe(true);
});
