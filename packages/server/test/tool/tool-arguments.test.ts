import type { Tool } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Journey, loadPlugin, loadShippedPlugin } from '../support/journey.ts';
import { startLocalServer, useLocalServer } from '../support/local-server.ts';

const server = useLocalServer({ plugins: [await loadShippedPlugin('ask-user'), await loadPlugin('tools.mjs')] });

test('[AGT6] an unknown tool is an error that the model reads, and the turn continues', async () => {
  const journey = await Journey.begin(server);
  const { error } = await journey.run('no_such_tool', { a: 1 });
  expect(error).toMatchObject({ code: 'unknown_tool', message: expect.stringContaining('no_such_tool') });
  expect(await journey.words()).toContain('no_such_tool returned: {"error":{"code":"unknown_tool"');
  expect((await journey.event('turn_end')).payload.status).toBe('completed');
});

test.each([
  ['a missing one', {}, 'count'],
  ['one of another type', { count: 'many' }, 'count'],
  ['one out of bounds', { count: 0 }, 'count'],
  ['an unknown one', { count: 1, other: 1 }, 'other'],
  ['one in a list', { count: 1, names: ['a', 2] }, 'names'],
])('[AGT6, PLG2] arguments with %s never reach the handler; the error names it', async (_, args, name) => {
  const journey = await Journey.begin(server);
  const { error } = await journey.run('checked', args);
  expect(error).toMatchObject({ code: 'invalid_args', message: expect.stringContaining(name) });
  expect((await journey.event('turn_end')).payload.status).toBe('completed');
});

test('[PLG2] JSON Schema without a type, with definitions and defaults, is interpreted as its author meant it', async () => {
  const journey = await Journey.begin(server);
  expect(await journey.run('untyped', { size: 's' })).toEqual({ result: { size: 's' } });
  expect((await journey.run('untyped', {})).error).toMatchObject({ code: 'invalid_args' });
  expect((await journey.run('untyped', { size: 'xl' })).error).toMatchObject({ code: 'invalid_args' });
});

test.each([
  ['a list', { count: 1, names: '["a","b"]' }, { count: 1, names: ['a', 'b'] }],
  ['an object', { count: 1, options: '{"deep":true}' }, { count: 1, options: { deep: true } }],
  ['a list or null', { count: 1, maybe: '[1,2]' }, { count: 1, maybe: [1, 2] }],
  ['a text that looks like JSON', { count: 1, text: '[1]' }, { count: 1, text: '[1]' }],
])('[AGT6] JSON in a string is parsed if the schema requires it: %s', async (_, args, seen) => {
  const journey = await Journey.begin(server);
  expect(await journey.run('checked', args)).toEqual({ result: seen });
});

test('[AGT6] arguments that are one string with JSON are parsed, too', async () => {
  const journey = await Journey.begin(server);
  await journey.tab.say(journey.session, `/call checked ${JSON.stringify('{"count":2}')}`);
  expect(await journey.outcome()).toEqual({ result: { count: 2 } });
});

test('[AGT1] without arguments a tool gets an empty object; a bad call next to a good one affects only itself', async () => {
  const journey = await Journey.begin(server);
  await journey.tab.say(journey.session, '/call echo\n/call checked {"count":0}\n/call echo {"é":"ü","n":[1,2]}');
  const words = (await journey.words()).split('\n');
  expect(words[0]).toBe('echo returned: {}');
  expect(words[1]).toContain('checked returned: {"error":{"code":"invalid_args"');
  expect(words[2]).toBe('echo returned: {"é":"ü","n":[1,2]}');
});

test('[AGT1] /stream writes that many pieces, and the tour answers everything else', async () => {
  const journey = await Journey.begin(server);
  await journey.tab.say(journey.session, '/stream 5 1');
  expect(await journey.words()).toBe('1 2 3 4 5');
  const { seq } = await journey.event('turn_end');
  await journey.tab.say(journey.session, 'What can you do?');
  const tour = await journey.words(seq);
  expect(tour).toContain('scripted demo');
  expect(tour).toContain('/call ask_user');
});

const evil = '^(a+)+$';
test.each([
  ['a property', { type: 'object', properties: { a: { type: 'string', pattern: evil } } }],
  ['a list in it', { type: 'object', properties: { a: { anyOf: [{ type: 'string', pattern: evil }] } } }],
  ['names of properties', { type: 'object', patternProperties: { [evil]: {} }, additionalProperties: false }],
])('[SEC6] a schema pattern with catastrophic backtracking is stopped: %s', async (_, parameters) => {
  const tool: Tool = { name: 'evil', description: 'Evil.', handler: () => 'ran', parameters };
  const own = await startLocalServer({ plugins: [{ name: 'evil', tools: [tool] }] });
  const journey = await Journey.begin(own);
  const long = `${'a'.repeat(40)}!`;
  expect((await journey.run('evil', { a: long, [long]: 1 })).error).toMatchObject({ code: 'invalid_args' });
  expect(await journey.run('evil', { a: 'aa' })).toEqual({ result: 'ran' });
});

test('[SEC6] a list whose members must differ is compared for a bounded time', async () => {
  const parameters = { type: 'object', properties: { a: { type: 'array', uniqueItems: true } } };
  const tool: Tool = { name: 'unique', description: 'Takes what differs.', handler: () => 'ran', parameters };
  const own = await startLocalServer({ plugins: [{ name: 'unique', tools: [tool] }] });
  const journey = await Journey.begin(own);
  const many = Array.from({ length: 12_000 }, (_, n) => ({ n }));
  const { error } = await journey.run('unique', { a: many });
  expect(error).toMatchObject({ code: 'invalid_args', message: expect.stringContaining('took too long') });
  expect(await journey.run('unique', { a: [{ n: 1 }, { n: 2 }] })).toEqual({ result: 'ran' });
});
