import { definePlugin, type ServerFrameOf, type ToolContext } from '@parleyhq/core';
import { useInTest } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { GuardedServer } from '../support/guarded-server.ts';
import { hold } from '../support/hold.ts';

const ask = (ctx: ToolContext, key: string) =>
  ctx.requestInteraction({ type: 'approval', key, timeoutMs: null, onUnavailable: 'wait' });

/** Starts a call that is answered a moment before its request stops waiting; what follows the answer is held until `release`. */
async function begin(isAskedTwice: boolean) {
  const { until, release } = hold();
  const { until: decided, release: decide } = hold();
  const plugin = definePlugin({
    name: 'slow',
    tools: [
      {
        name: 'may_i',
        description: 'Asks.',
        parameters: { type: 'object' },
        asking: true,
        endsWithRequest: true,
        readOnly: true,
        async handler(_: unknown, ctx: ToolContext) {
          await ask(ctx, 'first');
          decide();
          await until;
          return isAskedTwice ? await ask(ctx, 'second') : 'allowed';
        },
      },
    ],
  });
  const server = await useInTest(new GuardedServer({ plugins: [plugin] }));
  const owner = await server.enter();
  const { token } = await server.makeToken({ role: 'asker' });
  const asking = fetch(`${server.origin}/api/calls?wait=60`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'c', toolName: 'may_i' }),
  }).then((response) => response.json());
  const { sessionId, interaction } = (await owner.until(
    ({ type }) => type === 'interaction_opened',
  )) as ServerFrameOf<'interaction_opened'>;
  await owner.answer(sessionId, interaction, { action: 'approve' });
  await decided;
  return { server, asking, release };
}

test.each([
  ['is told as answered', false, { result: 'allowed' }],
  ['is withdrawn where it asks again', true, { error: { code: 'withdrawn' } }],
])('[ASK4, ASK9] a call that was answered when its request ended %s', async (_, isAskedTwice, told) => {
  const { server, asking, release } = await begin(isAskedTwice);
  let isTold = false;
  void asking.then(() => {
    isTold = true;
  });
  const closed = server.local.server.close(); // no request is waiting any longer
  await new Promise((resolve) => setImmediate(resolve));
  await server.local.store.sessions.list({ limit: 1 }); // any early notification would have arrived by the end of this read
  expect(isTold).toBe(false);
  release();
  expect(await asking).toMatchObject({ status: 'done', ...told });
  await closed;
});
