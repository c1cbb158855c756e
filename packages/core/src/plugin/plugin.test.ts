import { expect, expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import { definePlugin } from './plugin.ts';
import { defineTool } from './tool.ts';

test('[PLG1] definePlugin and defineTool return what they are given: a plugin is a plain value', () => {
  const tool = { name: 'echo', description: 'Says it again.', parameters: { type: 'object' }, handler: () => 'x' };
  const plugin = { name: 'mine', tools: [tool] };
  expect(defineTool(tool)).toBe(tool);
  expect(definePlugin(plugin)).toBe(plugin);
});

test("[PLG2] a handler's arguments are typed from zod", () => {
  defineTool({
    name: 'greet',
    description: 'Says hello.',
    parameters: z.object({ name: z.string(), times: z.number().default(1) }),
    handler(args) {
      expectTypeOf(args).toEqualTypeOf<{ name: string; times: number }>();
    },
  });
});
