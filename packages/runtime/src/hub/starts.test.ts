import type { Json, PluginStateStore } from '@parleyhq/core';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { Starts } from './starts.ts';

const log = pino({ level: 'silent' });

function makeState(): PluginStateStore {
  const values = new Map<string, Json | undefined>();
  return {
    get: async (...place) => values.get(place.join()),
    set: async (plugin, sessionId, key, value) => void values.set([plugin, sessionId, key].join(), value),
  };
}

/** Starts again on the same store. */
async function start(state: PluginStateStore): Promise<Starts> {
  const starts = new Starts({ state, steadyMs: 1, log });
  await starts.begin();
  return starts;
}

test('[DUR6] after two starts in a row that ended early, each start is careful until one lasts', async () => {
  const state = makeState();
  const careful = async () => (await start(state)).reEntries.isCareful; // the process is killed afterwards, ready or not
  expect([await careful(), await careful(), await careful(), await careful()]).toEqual([false, false, true, true]);
  const last = await start(state);
  last.open();
  await vi.waitFor(() => expect(last.reEntries.isCareful).toBe(false));
  await last.stop();
  expect(await careful()).toBe(false);
});

test('[DUR6] a start that was asked to stop does not count', async () => {
  const state = makeState();
  await start(state);
  for (let n = 0; n < 3; n += 1) await (await start(state)).stop();
  expect((await start(state)).reEntries.isCareful).toBe(false);
  for (let n = 0; n < 3; n += 1) await (await start(state)).stop();
  expect((await start(state)).reEntries.isCareful).toBe(true);
});
