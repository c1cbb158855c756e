import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { defineTool, type InteractionDemand } from '@parleyhq/core';
import { openSqliteStore, ParleyServer } from '@parleyhq/server';
import { serveCalls } from '../process/child.ts';
import { clock } from '../process/clock.ts';

const [dataDir = '.'] = process.argv.slice(2);
let left = 0;
let onAllWaiting = () => {};

const wait = defineTool({
  name: 'bench_wait',
  description: 'Asks several things at once, and waits.',
  parameters: { type: 'object' },
  async handler(args, ctx) {
    const { prompts } = args as unknown as { prompts: number };
    const demand: InteractionDemand = { type: 'approval', prompt: 'Go on?', timeoutMs: null, onUnavailable: 'wait' };
    const answers = Array.from({ length: prompts }, (_, n) => ctx.requestInteraction({ ...demand, key: `ask-${n}` }));
    left -= prompts;
    if (left === 0) onAllWaiting();
    return Promise.all(answers);
  },
});

/**
 * Makes a server for a process that is killed soon after each start; that must not make the next start a safe one, without calls.
 */
function makeServer(): ParleyServer {
  const store = openSqliteStore(join(dataDir, 'parley.db'), { durability: 'full' });
  const durations = { steadyMs: 0 };
  return new ParleyServer({ store, plugins: [{ name: 'bench', tools: [wait] }], dataDir, durations });
}

const listen = (server: ParleyServer) => server.listen({ port: 0, host: '127.0.0.1' });

const methods = {
  /** Starts calls that wait for people; the caller then kills this process. */
  async fill(sessions: number, prompts: number) {
    const server = makeServer();
    await listen(server);
    const { hub } = server;
    for (let n = 0; n < sessions; n += 1) {
      const { session } = await hub.open((await hub.create({ agent: 'demo' })).id);
      const text = `/call bench_wait ${JSON.stringify({ prompts })}`;
      const message = { messageId: randomUUID(), text, origin: 'user' } as const;
      await session.perform({ type: 'send', message });
    }
    while (server.openPrompts < sessions * prompts) await new Promise((resolve) => setTimeout(resolve, 20));
  },
  /**
   * Starts the server.
   * @returns when it was ready, how long that took without Node's own start, and when all calls waited again
   */
  async start(prompts: number) {
    const begun = clock();
    left = prompts;
    const allWaiting = new Promise<void>((resolve) => {
      onAllWaiting = resolve;
    });
    const server = makeServer();
    await listen(server);
    const readyAt = clock();
    if (left > 0) await allWaiting;
    return { readyAt, ms: readyAt - begun, waitingAt: clock(), open: server.openPrompts };
  },
};

export type RestartMethods = typeof methods;

serveCalls(methods);
