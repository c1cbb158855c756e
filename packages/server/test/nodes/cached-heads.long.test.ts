import { type Plugin, StoreError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { openPostgresStore } from '../../../../plugins/postgres/src/index.ts';
import { usePostgres } from '../../../../plugins/postgres/test/support/use-postgres.ts';
import { hold } from '../support/hold.ts';
import { type LocalServer, startLocalServer } from '../support/local-server.ts';

const plugin: Plugin = {
  name: 'asking',
  tools: [
    {
      name: 'ask',
      description: 'Asks.',
      parameters: { type: 'object' },
      handler: (_, ctx) => ctx.requestInteraction({ type: 'approval', title: 'Go on?' }),
    },
  ],
};

async function startNode(url: string): Promise<LocalServer> {
  const store = await openPostgresStore(url);
  return startLocalServer({ openStore: () => store, plugins: [plugin] });
}

/** A node's answer stays on its way to the database and is lost in the end; what the node caches waits until another has stored. */
function holdAnswer({ store }: LocalServer) {
  const [decided, stored, cached, lost] = [hold(), hold(), hold(), hold()];
  store.intercept('events', 'append', async (proceed, { events }) => {
    if (!events.some(({ text }) => text.includes('"type":"interaction_response"'))) return proceed();
    decided.release();
    await lost.until;
    throw new StoreError('failed', 'made to fail');
  });
  store.intercept('heads', 'save', async (proceed) => {
    await stored.until;
    await proceed();
    cached.release();
  });
  return { decided, stored, cached, lost };
}

test('[OPS4, DUR8] a head that rests on an answer that was never stored is not cached, though another node stored an event at its place', {
  timeout: 120_000,
}, async () => {
  const url = await (await usePostgres()).createDatabase();
  const [a, b] = [await startNode(url), await startNode(url)];
  const [atA, atB] = [await a.open(), await b.open()];
  const session = await atA.createSession();
  await atB.until((frame) => frame.type === 'session_created' && frame.session.id === session);
  await Promise.all([atA.follow(session), atB.follow(session)]);
  const answer = holdAnswer(a);

  await atA.say(session, '/call ask {}');
  const prompt = await atA.prompt(session);
  const replied = atA.answer(session, prompt, { action: 'approve' });
  await answer.decided.until;
  await atB.ask({ type: 'update_session', sessionId: session, title: 'Meanwhile' });
  answer.stored.release();
  await answer.cached.until;
  answer.lost.release();
  expect((await replied).ok).toBe(false);

  const atC = await (await startNode(url)).open();
  await atC.follow(session);
  const again = await atC.prompt(session);
  expect(again).toEqual(prompt);
  expect(await atC.answer(session, again, { action: 'approve' })).toMatchObject({ ok: true });
  await atC.event(session, 'turn_end');
});
