import type { Door, Plugin } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { checkPlugin } from './check-plugin.ts';
import { placeDoors } from './door-places.ts';

const handle = () => new Response();
const door: Door = { method: 'POST', path: 'events', access: 'program', handle };
const pluginWith = (doors: unknown, name = 'hooks'): Plugin => ({ name, tools: [], doors: doors as readonly Door[] });

test('[PLG14] a relative path is below the plugin’s own, and an absolute one is as it stands', () => {
  const doors = ['events', 'a/b', '/hooks2/events', '/plugins/hooks/own'].map((path) => ({ ...door, path }) as Door);
  const paths = placeDoors([pluginWith(doors)]).map(({ path }) => path);
  expect(paths).toEqual(['/plugins/hooks/events', '/plugins/hooks/a/b', '/hooks2/events', '/plugins/hooks/own']);
  expect(checkPlugin(pluginWith(doors))).toEqual([]);
});

test.each<[string, unknown]>([
  ['its "doors" must be a list of doors.', { events: door }],
  ['door 1: it must be an object.', ['events']],
  ['door "events": there is no "acess". Did you mean "access"?', [{ ...door, access: undefined, acess: 'none' }]],
  ['door "events": there is no "handler". Did you mean "handle"?', [{ ...door, handler: handle }]],
  ['door 2: it has no "path"', [door, { ...door, path: undefined }]],
  ['door "events": it has no "method", which must be "GET", "POST"', [{ ...door, method: undefined }]],
  ['door "events": it has no "access", which must be "program", "person" or "none"', [{ ...door, access: undefined }]],
  ['door "events": it has no "handle", which must be a function.', [{ ...door, handle: undefined }]],
  ['its "method" must be "GET", "POST", "PUT", "PATCH" or "DELETE".', [{ ...door, method: 'post' }]],
  ['its "access" must be "program", "person" or "none"', [{ ...door, access: 'everybody' }]],
  ['its "handle" must be a function.', [{ ...door, handle: 'echo' }]],
  ['its "maxBytes" must be a number of bytes from 1 to 16777216.', [{ ...door, maxBytes: 2 ** 30 }]],
  ['its "maxBytes" must be a number of bytes', [{ ...door, maxBytes: Number.NaN }]],
  ['its "timeoutMs" must be a number of milliseconds from 1 to', [{ ...door, timeoutMs: 0 }]],
  [
    'its "timeoutMs" must be a number, because its callers are unknown.',
    [{ ...door, access: 'none', timeoutMs: null }],
  ],
  ...['', '/', 'a/', 'a//b', '../up', '/hooks2/..', './a', ':name', 'a*', 'a b', 'a?b', '/plugins/../api', '%61'].map(
    (path): [string, unknown] => ['its "path" must be parts of letters', [{ ...door, path }]],
  ),
])('[PLG2, PLG8] an author reads: %s', (words, doors) => {
  expect(() => checkPlugin(pluginWith(doors))).toThrow(words);
  expect(() => checkPlugin(pluginWith(doors))).toThrow('Plugin "hooks"');
});

test('[PLG14, PLG2] two plugins with one door are refused by both names, and so is one with two', () => {
  const path = '/hooks2/events';
  const [one, two] = [pluginWith([{ ...door, path }], 'one'), pluginWith([{ ...door, path }], 'two')];
  expect(() => checkPlugin(two, [one])).toThrow('Plugin "two" and plugin "one" both have a door POST /hooks2/events.');
  expect(() => checkPlugin(pluginWith([door, door]))).toThrow('two doors POST /plugins/hooks/events.');
  expect(placeDoors([one, pluginWith([{ ...door, path, method: 'GET' }], 'two')])).toHaveLength(2);
  expect(placeDoors([pluginWith([door], 'one'), pluginWith([door], 'two')])).toHaveLength(2);
});

test.each([
  ['/api/calls', 'the server has "/api" for itself'],
  ['/mcp/x', 'the server has "/mcp" for itself'],
  ['/assets/x.js', 'the server has "/assets" for itself'],
  ['/plugins/other/events', 'the server has "/plugins" for itself'],
  ['/sw.js', '"sw.js" alone is a path below /plugins/hooks/'],
])('[PLG2, SEC3] the path %s is not for a plugin', (path, words) => {
  expect(() => checkPlugin(pluginWith([{ ...door, path }]))).toThrow(`Plugin "hooks": door ${JSON.stringify(path)}: `);
  expect(() => checkPlugin(pluginWith([{ ...door, path }]))).toThrow(words);
});
