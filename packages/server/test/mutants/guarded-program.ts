// A server that knows its owner's token and a viewer's, as one program: a bundle of it may have a fault in its sources.
import { ParleyServer } from '@parley/server';
import { hashToken, makeToken } from '../../src/auth.ts';
import { MemoryStore } from '../../src/store/memory.ts';

/** What it prints when it is ready. */
export interface Ready {
  readonly port: number;
  readonly token: string;
  readonly viewer: string;
}

const [token, viewer] = [makeToken(), makeToken()];
const store = new MemoryStore();
const asker = {
  name: 'asker',
  tools: [
    {
      name: 'ask',
      description: 'Asks for leave.',
      parameters: { type: 'object' },
      handler: (_: unknown, ctx: { requestInteraction(demand: object): unknown }) =>
        ctx.requestInteraction({ type: 'approval', prompt: 'May I?' }),
    },
  ],
};
await store.tokens.add(hashToken(viewer), { id: 'viewer', role: 'viewer', createdAt: new Date().toISOString() });
const server = new ParleyServer({ store, token, plugins: [asker] });
const port = await server.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`${JSON.stringify({ port, token, viewer } satisfies Ready)}\n`);
