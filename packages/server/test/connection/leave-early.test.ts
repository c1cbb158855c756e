import { setTimeout } from 'node:timers/promises';
import type { Store } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { LocalServer } from '../support/local-server.ts';

/** A store that takes its time to find a session. */
function slowToFind(store: Store): Store {
  const get = store.sessions.get.bind(store.sessions);
  store.sessions.get = async (id) => {
    await setTimeout(50);
    return get(id);
  };
  return store;
}

test('[RPL1, INT14] who leaves while its session is still being opened is not counted for ever', async () => {
  const local = await LocalServer.start({}, slowToFind);
  const [stayer, leaver] = await Promise.all([local.open(), local.open()]);
  const session = await stayer.createSession();
  leaver.send({ type: 'subscribe', sessionId: session });
  await leaver.close();
  await stayer.follow(session);
  await stayer.until((frame) => frame.type === 'presence' && frame.sessionId === session);
  expect(stayer.frames.findLast(({ type }) => type === 'presence')).toMatchObject({ connections: 1 });
  await local.remove();
});
