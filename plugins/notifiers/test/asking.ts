import { definePlugin, defineTool, type InteractionDemand } from '@parleyhq/core';
import { makePushKeys } from '../../../packages/server/src/reach/push-keys.ts';
import { Journey } from '../../../packages/server/test/support/journey.ts';
import { type LocalOptions, LocalServer } from '../../../packages/server/test/support/local-server.ts';
import { useInTest } from '../../../packages/server/test/support/use-server.ts';
import notifiers from '../src/index.ts';

const ownToken = 'parley_the-owner-of-this-server';

const asking = definePlugin({
  name: 'asking',
  tools: [
    defineTool({
      name: 'ask',
      description: 'Asks what it is told to ask.',
      parameters: { type: 'object' },
      handler: (args, ctx) =>
        ctx.requestInteraction({ type: 'approval', timeoutMs: null, ...args } as InteractionDemand),
    }),
  ],
});

/** A server that tells by these notifiers, at once. */
export function startTelling(
  entries: readonly object[],
  { allowsPrivate = true, ...options }: LocalOptions & { readonly allowsPrivate?: boolean } = {},
): Promise<LocalServer> {
  return useInTest(
    new LocalServer({
      token: ownToken,
      plugins: [asking, notifiers],
      durations: { notifyAfterMs: 20 },
      reach: { keys: makePushKeys(), allowsPrivate, notifiers: entries as never },
      ...options,
    }),
  );
}

export function begin(server: LocalServer): Promise<Journey> {
  return Journey.begin(server, { hello: { token: ownToken } });
}

export async function listDeliveries(server: LocalServer): Promise<Record<string, unknown>[]> {
  const headers = { authorization: `Bearer ${ownToken}` };
  return (await (await fetch(`${server.httpUrl}/api/deliveries`, { headers })).json()).deliveries;
}
