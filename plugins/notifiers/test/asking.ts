import { openTab, type PersonTab } from '@parleyhq/client/process';
import { definePlugin, defineTool, type InteractionDemand } from '@parleyhq/core';
import { makePushKeys } from '@parleyhq/server';
import { TestServer, type TestServerOptions, useInTest } from '@parleyhq/server/testing';
import { onTestFinished } from 'vitest';
import notifiers from '../src/index.ts';

export const ownToken = 'parley_the-owner-of-this-server';

export const asking = definePlugin({
  name: 'asking',
  tools: [
    defineTool({
      name: 'ask',
      description: 'Asks with its arguments.',
      parameters: { type: 'object' },
      handler: (args, ctx) =>
        ctx.requestInteraction({ type: 'approval', timeoutMs: null, ...args } as InteractionDemand),
    }),
  ],
});

/** Starts a server that notifies through these notifiers without delay. */
export function startTelling(
  entries: readonly object[],
  { allowsPrivate = true, ...options }: TestServerOptions & { readonly allowsPrivate?: boolean } = {},
): Promise<TestServer> {
  return useInTest(
    new TestServer({
      token: ownToken,
      plugins: [asking, notifiers],
      durations: { notifyAfterMs: 20 },
      reach: { keys: makePushKeys(), allowsPrivate, notifiers: entries as never },
      ...options,
    }),
  );
}

export async function begin(server: TestServer): Promise<PersonTab> {
  const tab = await openTab(server, { token: ownToken });
  onTestFinished(() => tab.close());
  return tab;
}

export async function listDeliveries(server: TestServer): Promise<Record<string, unknown>[]> {
  const headers = { authorization: `Bearer ${ownToken}` };
  return (await (await fetch(`${server.url}/api/deliveries`, { headers })).json()).deliveries;
}
