import { type Plugin, StoreError } from '@parleyhq/core';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../../../plugins/postgres/src/index.ts';
import { usePostgres } from '../../../../plugins/postgres/test/support/use-postgres.ts';
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

const patience = { timeout: 30_000 };

async function startNode(url: string): Promise<LocalServer> {
  const store = await openPostgresStore(url);
  return startLocalServer({ openStore: () => store, plugins: [plugin] });
}

/** From now on a node's reads of events end with a fault of the database, in the middle of what they gave. */
function failReads({ store }: LocalServer) {
  let isFailing = true;
  let count = 0;
  store.intercept('events', 'read', async function* (proceed) {
    for await (const texts of proceed()) {
      yield texts;
      if (!isFailing) continue;
      count += 1;
      throw new StoreError('failed', 'made to fail');
    }
  });
  return {
    /** Waits until all that was stored by now could not be read, and not when it was tried again either. */
    async untilTriedTwice() {
      const before = count;
      await expect.poll(() => count, patience).toBeGreaterThan(before + 1);
    },
    end() {
      isFailing = false;
    },
  };
}

test('[OPS4, DUR8] where what other nodes stored cannot be read it is read again: every tab sees all of it, once, and nothing is left unhandled', {
  timeout: 120_000,
}, async () => {
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', hear);
  onTestFinished(() => void process.off('unhandledRejection', hear));
  const url = await (await usePostgres()).createDatabase();
  const [a, b] = [await startNode(url), await startNode(url)];
  const [atA, atB] = [await a.open(), await b.open()];
  const session = await atA.createSession();
  await atB.until((frame) => frame.type === 'session_created' && frame.session.id === session);
  await Promise.all([atA.follow(session), atB.follow(session)]);

  const atNodeB = failReads(b);
  await atA.say(session, '/call ask {}');
  const prompt = await atA.prompt(session);
  await atNodeB.untilTriedTwice();
  expect(atB.events(session)).toEqual([]);
  atNodeB.end(); // nothing new is stored that would wake it
  expect(await atB.prompt(session)).toEqual(prompt);

  const atNodeA = failReads(a);
  expect((await atB.answer(session, prompt, { action: 'approve' })).ok).toBe(true);
  await atNodeA.untilTriedTwice();
  atNodeA.end();
  await Promise.all([atA, atB].map((tab) => tab.event(session, 'turn_end')));
  expect(atB.events(session)).toEqual(atA.events(session));
  expect(atB.events(session).map(({ seq }) => seq)).toEqual(atB.events(session).map((_, n) => n + 1));
  expect(unhandled).toEqual([]);
});
