import { definePlugin, type ToolContext } from '@parleyhq/core';
import { ParleyServer } from '@parleyhq/server';
import { FaultyStore } from '@parleyhq/store-kit/testing';
import { openMemoryStore } from '../../src/testing/memory-store.ts';

const parameters = { type: 'object' } as const;

const ask = (ctx: ToolContext, risk: 'low' | 'high', title = 'Open it?') =>
  ctx.approve({ key: title, title, ...(title !== 'Open it?' && { scopes: ['once'] }), risk });

/** How risky the tools are that look it up each time that they run. */
let current: 'low' | 'high' = 'low';

async function askTwice(_: unknown, ctx: ToolContext): Promise<string> {
  await ask(ctx, current, 'Pay?');
  await ask(ctx, 'low', 'Sure?');
  return 'paid';
}

const asker = definePlugin({
  name: 'asker',
  tools: [
    ...(['low', 'high'] as const).map((risk) => ({
      name: `ask_${risk}`,
      description: 'Asks for leave.',
      parameters,
      handler: (_: unknown, ctx: ToolContext) => ask(ctx, risk),
    })),
    { name: 'ask_twice', description: 'Asks twice, first at the current risk.', parameters, handler: askTwice },
    {
      ...{ name: 'ask_gated', description: 'Is asked about, which answers its first question.', parameters },
      approval: 'always',
      describe: () => ({ title: 'Pay?', risk: 'low' }),
      handler: askTwice,
    },
  ],
});

export const token = 'parley_the-owner-of-this-server';

export interface Subject {
  server: ParleyServer;
  port: number;
  readonly store: FaultyStore;
  /** Starts the next server over the same store, in which what looks its risk up is risky. */
  restartAtHighRisk(): Promise<void>;
}

/** Starts a server that demands passkeys at high risk, over a store in memory, sound or mutated. */
export async function start(): Promise<Subject> {
  const store = new FaultyStore(Object.assign(openMemoryStore(), { close: () => undefined }));
  const open = async () => {
    const server = new ParleyServer({ store, plugins: [asker], token, stepUp: { risk: 'high' } });
    return { server, port: await server.listen({ port: 0, host: '127.0.0.1' }) };
  };
  current = 'low';
  const subject: Subject = {
    ...(await open()),
    store,
    async restartAtHighRisk() {
      await subject.server.close();
      current = 'high';
      Object.assign(subject, await open());
    },
  };
  return subject;
}
