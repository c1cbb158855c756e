import { definePlugin, defineTool, type Plugin, type PluginHost } from '@parleyhq/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { Stage } from './index.ts';

const tool = defineTool({ name: 'late', description: 'Comes later.', parameters: {}, handler: () => 1 });

function pluginWith(setup: (host: PluginHost) => unknown): Plugin {
  return definePlugin({
    name: 'own',
    tools: [],
    configSchema: z.object({ depth: z.number().default(3) }),
    setup: async (host) => void (await setup(host)),
  });
}

test('[PLG5] setup receives its config, a log and a state, and sets tools', async () => {
  const stage = new Stage();
  const plugin = pluginWith(async ({ config, log, state, setTools }) => {
    log.info('set up', { config });
    await state.set('seen', { n: 1 });
    await state.set('gone', 1);
    await state.delete('gone');
    setTools([tool]);
    log.debug(JSON.stringify([await state.get('seen'), await state.get('gone')]));
  });
  await stage.setUp(plugin);
  expect(stage.log).toEqual([
    { level: 'info', message: 'set up', details: { config: { depth: 3 } } },
    { level: 'debug', message: '[{"n":1},null]' },
  ]);
  expect(stage.tools).toEqual([tool]);
});

test('[PLG5, PLG9] an invalid config is refused as at a server’s start', async () => {
  const set = new Stage().setUp(
    pluginWith(() => undefined),
    { config: { depth: 'deep' } },
  );
  await expect(set).rejects.toThrow('The config of plugin "own" does not fit: depth');
});

test('[PLG5, PLG8] a state that JSON would lose is refused', async () => {
  const set = new Stage().setUp(pluginWith(({ state }) => state.set('fn', (() => 1) as never)));
  await expect(set).rejects.toThrow('state.set("fn"): not JSON: the value is a function.');
});

test.each<[string, (host: PluginHost) => unknown]>([
  ['set', ({ state }) => state.set('a\0b', 1)],
  ['get', ({ state }) => state.get('a\ud800')],
  ['delete', ({ state }) => state.delete('a\0b')],
])('[PLG5, PLG8] a key of the state that a database cannot store is refused: %s', async (_, use) => {
  await expect(new Stage().setUp(pluginWith(use))).rejects.toThrow('has a NUL or half of a character');
});
