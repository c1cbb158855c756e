import type { Json, PluginState } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { appType, type Content } from './app-page.ts';
import { AppPages, type Views } from './app-pages.ts';

const uri = 'ui://charts/view';
const say = (text: string): readonly Content[] => [{ mimeType: appType, text }];

function makeState(): PluginState {
  const kept = new Map<string, Json>();
  return {
    get: async (key) => kept.get(key),
    set: async (key, value) => void (value === undefined ? kept.delete(key) : kept.set(key, value)),
    delete: async (key) => void kept.delete(key),
  };
}

function makePages(read: (uri: string) => Promise<readonly Content[]>, state = makeState()) {
  const views: Views = {};
  const faults: string[] = [];
  const pages = new AppPages({ server: 'charts', views, state, read, onFault: (words) => faults.push(words) });
  return { pages, views, faults };
}

test('[AGT4] a page is read once until the server lists its tools again, and shows the arguments', async () => {
  let text = 'first';
  let count = 0;
  const { pages, views } = makePages(async () => {
    count += 1;
    return say(text);
  });
  const [shown, again] = await Promise.all([pages.show(uri, { a: 1 }), pages.show(uri, { a: 1 })]);
  expect(count).toBe(1);
  expect(again).toEqual(shown);
  expect(shown?.data).toEqual({ a: 1 });
  expect(views[shown?.name ?? '']).toMatchObject({ html: 'first', app: { server: 'charts', connects: [], loads: [] } });
  text = 'second';
  pages.forget();
  const other = await pages.show(uri, {});
  expect(views[other?.name ?? '']?.html).toBe('second');
  expect(views[shown?.name ?? '']?.html).toBe('first'); // an open prompt still shows what it was asked with
});

test('[AGT4, DUR5] a server that cannot be reached after a restart has the page that it had before', async () => {
  const state = makeState();
  const before = await makePages(async () => say('kept'), state).pages.show(uri, {});
  const { pages, views, faults } = makePages(() => Promise.reject(new Error('it is away')), state);
  expect(await pages.show(uri, {})).toEqual(before);
  expect(views[before?.name ?? '']?.html).toBe('kept');
  expect(faults).toEqual([`its page "${uri}": it cannot be read: it is away`]);
});

test('[AGT4, DUR5] after a restart the pages are there before anything asks for them', async () => {
  const state = makeState();
  const before = await makePages(async () => say('kept'), state).pages.show(uri, {});
  const { pages, views } = makePages(() => Promise.reject(new Error('it is away')), state);
  await pages.restore([uri, 'ui://charts/unknown']);
  expect(Object.keys(views)).toEqual([before?.name]);
});

test('[AGT4] a page that fails is left out, and read again for the next call', async () => {
  let isAway = true;
  const { pages } = makePages(async () => {
    if (isAway) throw new Error('it is away');
    return say('back');
  });
  expect(await pages.show(uri, {})).toBeUndefined();
  isAway = false;
  expect(await pages.show(uri, {})).toBeDefined();
});

test('[AGT4] arguments that are too long for a view leave it out', async () => {
  const { pages } = makePages(async () => say('page'));
  expect(await pages.show(uri, { text: 'x'.repeat(256 * 1024) })).toBeUndefined();
});

test('[AGT4] a server with endless pages does not fill the memory, and each call has the page that it names', async () => {
  const { pages, views } = makePages(async (address) => say(address));
  for (let index = 0; index < 100; index += 1) {
    const shown = await pages.show(`ui://charts/${index % 50}`, {});
    expect(views[shown?.name ?? '']?.html).toBe(`ui://charts/${index % 50}`);
  }
  expect(Object.keys(views)).toHaveLength(32);
});
