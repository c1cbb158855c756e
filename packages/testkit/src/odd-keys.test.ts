import { defineTool, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { playTool } from './index.ts';

test.each<[string, (ctx: ToolContext) => unknown]>([
  ['a step', (ctx) => ctx.step('a\0b', () => 1)],
  ['a request', (ctx) => ctx.requestInteraction({ type: 'approval', title: 'Sure?', key: 'a\ud800' })],
  ['a callback', (ctx) => ctx.callback('a\0b')],
  ['a state', (ctx) => ctx.state.set('a\0b', 1)],
])('[PLG5, PLG8] a key that a database cannot store is refused, as by a server: %s', async (_, handler) => {
  const tool = defineTool({
    name: 'odd',
    description: 'Has an odd key.',
    parameters: {},
    handler: (_, ctx) => handler(ctx),
  });
  const message = expect.stringContaining('has a NUL or half of a character');
  expect(await playTool(tool).end()).toMatchObject({ error: { code: 'tool_error', message } });
});
