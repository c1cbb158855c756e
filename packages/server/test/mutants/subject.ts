import { definePlugin } from '@parleyhq/core';
import { ParleyServer } from '@parleyhq/server';
import { openMemoryStore } from '../../src/testing/memory-store.ts';

const asker = definePlugin({
  name: 'asker',
  tools: [
    {
      name: 'ask',
      description: 'Asks for leave.',
      parameters: { type: 'object' },
      handler: (_, ctx) => ctx.requestInteraction({ type: 'approval', timeoutMs: null, onUnavailable: 'wait' }),
    },
  ],
});

/** Starts a server over a store in memory, sound or mutated. */
export async function start(): Promise<{ server: ParleyServer; port: number }> {
  const server = new ParleyServer({ store: openMemoryStore(), plugins: [asker], framesPerSecond: 100_000 });
  return { server, port: await server.listen({ port: 0, host: '127.0.0.1' }) };
}
