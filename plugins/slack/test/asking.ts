import { openTab, type PersonTab } from '@parleyhq/client/process';
import { definePlugin, defineTool, type InteractionDemand } from '@parleyhq/core';
import { makePushKeys } from '@parleyhq/server';
import { addToken, TestServer, type TestServerOptions, useInTest } from '@parleyhq/server/testing';
import { onTestFinished } from 'vitest';
import slack from '../src/index.ts';
import { SlackServer } from './slack-server.ts';

const ownToken = 'parley_the-owner-of-this-server';

const asking = definePlugin({
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

/** A workspace, a server that notifies there, and Ann, who is an operator and linked her account. */
export interface Stage {
  readonly workspace: SlackServer;
  readonly server: TestServer;
  readonly ann: { readonly id: string; readonly token: string };
}

export async function startStage(durations: TestServerOptions['durations'] = {}): Promise<Stage> {
  const workspace = await useInTest(new SlackServer());
  const server = await useInTest(
    new TestServer({
      token: ownToken,
      plugins: [asking, slack],
      durations: { notifyAfterMs: 20, ...durations },
      reach: { keys: makePushKeys(), notifiers: [{ notifier: 'slack', config: workspace.config }] },
    }),
  );
  const ann = await addToken(server, { role: 'operator', name: 'ann' });
  await workspace.connection();
  await workspace.say(`link ${await makeCode(server, ann.token)}`);
  await workspace.message(({ text }) => text.includes('linked to ann'));
  return { workspace, server, ann };
}

/** Makes a code as the page does. */
export async function makeCode(server: TestServer, token: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return (await (await fetch(`${server.url}/api/links`, { method: 'POST', headers, body: '{}' })).json()).code;
}

export async function begin(server: TestServer): Promise<PersonTab> {
  const tab = await openTab(server, { token: ownToken });
  onTestFinished(() => tab.close());
  return tab;
}
