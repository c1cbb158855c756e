import { definePlugin, type ToolContext } from '@parleyhq/core';
import { ParleyServer } from '@parleyhq/server';
import { FaultyStore } from '@parleyhq/store-kit/testing';
import { openMemoryStore } from '../../src/testing/memory-store.ts';

const asker = definePlugin({
  name: 'asker',
  tools: (['low', 'high'] as const).map((risk) => ({
    name: `ask_${risk}`,
    description: 'Asks for leave.',
    parameters: { type: 'object' },
    handler: (_: unknown, ctx: ToolContext) => ctx.approve({ key: 'door', title: 'Open it?', risk }),
  })),
});

export const token = 'parley_the-owner-of-this-server';

/** Starts a server that demands passkeys at high risk, over a store in memory, sound or mutated. */
export async function start(): Promise<{ server: ParleyServer; port: number; store: FaultyStore }> {
  const store = new FaultyStore(openMemoryStore());
  const server = new ParleyServer({ store, plugins: [asker], token, stepUp: { risk: 'high' } });
  return { server, store, port: await server.listen({ port: 0, host: '127.0.0.1' }) };
}
