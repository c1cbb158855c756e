import { definePlugin, type Store, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { openPostgresStore } from '../../../../plugins/postgres/src/index.ts';
import { usePostgres } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { type LocalServer, startLocalServer } from '../support/local-server.ts';

const token = 'parley_the-owner-of-these-servers';
const approve = { action: 'approve', approvalScope: 'once' } as const;
const asker = definePlugin({
  name: 'asker',
  tools: [
    {
      name: 'ask',
      description: 'Asks.',
      parameters: { type: 'object' },
      handler: (_: unknown, ctx: ToolContext) => ctx.approve({ key: 'door', title: 'Open it?', risk: 'high' }),
    },
  ],
});

/** Starts two nodes that demand passkeys, and opens a tab at each. */
async function begin() {
  const url = await (await usePostgres()).createDatabase();
  const reach = { keys: makePushKeys() };
  const start = async (): Promise<LocalServer> => {
    const store: Store = await openPostgresStore(url);
    return startLocalServer({ openStore: () => store, plugins: [asker], token, stepUp: { risk: 'high' }, reach });
  };
  const [a, b] = [await start(), await start()];
  const [atA, atB] = [await a.open({ hello: { token } }), await b.open({ hello: { token } })];
  const session = await atA.createSession();
  await atB.until((frame) => frame.type === 'session_created' && frame.session.id === session);
  await Promise.all([atA.follow(session), atB.follow(session)]);
  const key = new Authenticator(`http://localhost:${a.port}`);
  expect((await addPasskey(token, key)).status).toBe(200);
  await atA.say(session, '/call ask {}');
  const prompt = await atB.prompt(session);
  const signed = key.signAnswer({ sessionId: session, person: 'owner', answerId: 'a' }, prompt, approve);
  return { a, b, atA, atB, session, prompt, signed };
}

test('[SIGN2, OPS4] a passkey that was added at one node signs an answer at another', async () => {
  const { a, atA, atB, session, prompt, signed } = await begin();
  expect(await atB.answer(session, prompt, approve)).toMatchObject({ error: { code: 'step_up_required' } });
  expect(await atB.answer(session, prompt, signed)).toMatchObject({ ok: true });
  expect((await atA.event(session, 'interaction_response')).payload.assertion).toBeDefined();
  expect(await a.store.passkeys.list('owner')).toMatchObject([{ lastUsedAt: expect.any(String) }]);
});

test('[SIGN2, OPS4] one that another node removes between the check and the commit approves nothing', async () => {
  const { a, b, atB, session, prompt, signed } = await begin();
  const [passkey] = await a.store.passkeys.list('owner');
  b.store.intercept('events', 'append', async (proceed) => {
    await a.store.passkeys.revoke(String(passkey?.id));
    return proceed();
  });
  expect(await atB.answer(session, prompt, signed)).toMatchObject({ error: { code: 'step_up_required' } });
  expect(atB.events(session).some(({ type }) => type === 'interaction_response')).toBe(false);
});
