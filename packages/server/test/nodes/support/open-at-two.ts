import type { Plugin } from '@parleyhq/core';
import type { TestServerOptions } from '@parleyhq/server/testing';
import { openPostgresStore } from '../../../../../plugins/postgres/src/index.ts';
import { usePostgres } from '../../../../../plugins/postgres/test/support/use-postgres.ts';
import { type LocalServer, startLocalServer } from '../../support/local-server.ts';

/** `/call ask {}` asks for an approval. */
const asking: Plugin = {
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

/** Starts two nodes on a database of their own, in the test's process, and opens a tab at each. */
export async function startAtTwo(options: TestServerOptions = {}) {
  const url = await (await usePostgres()).createDatabase();
  const start = async (): Promise<LocalServer> => {
    const store = await openPostgresStore(url);
    return startLocalServer({ openStore: () => store, plugins: [asking], ...options });
  };
  const [a, b] = [await start(), await start()];
  const [atA, atB] = [await a.open(), await b.open()];
  return { start, a, b, atA, atB };
}

/** Like `startAtTwo`, with both tabs following the same session. */
export async function openAtTwo() {
  const two = await startAtTwo();
  const { atA, atB } = two;
  const session = await atA.createSession();
  await atB.until((frame) => frame.type === 'session_created' && frame.session.id === session);
  await Promise.all([atA.follow(session), atB.follow(session)]);
  return { ...two, session };
}
