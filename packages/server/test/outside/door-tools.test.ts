import { openTab } from '@parleyhq/client/process';
import type { Plugin } from '@parleyhq/core';
import { expect, onTestFinished, test } from 'vitest';
import { useLocalServer } from '../support/local-server.ts';
import { connectMcp } from '../support/mcp-client.ts';

const plugin: Plugin = {
  name: 'x',
  tools: [],
  doorTools: [
    {
      name: 'greet_outside',
      description: 'Greet.',
      parameters: { type: 'object' },
      readOnly: true,
      asking: true,
      handler: () => ({ hello: true }),
    },
  ],
  doors: [
    {
      method: 'POST',
      path: 'greet',
      access: 'program',
      async handle(_, { call }) {
        return Response.json((await call({ channel: 'x', toolName: 'greet_outside', args: {} }))?.result);
      },
    },
  ],
};

const server = useLocalServer({ plugins: [plugin] });

test('[PLG14] a tool of doors is called by its door, and offered neither to agents nor over MCP', async () => {
  const headers = { 'content-type': 'application/json' };
  const greeted = await fetch(`${server.url}/plugins/x/greet`, { method: 'POST', headers, body: '{}' });
  expect(await greeted.json()).toEqual({ hello: true });
  const client = await connectMcp(server.url);
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('greet_outside');
  const tab = await openTab(server);
  onTestFinished(() => tab.close());
  expect(await tab.run('greet_outside')).toMatchObject({ error: { code: 'unknown_tool' } });
});
