import { expect, test } from 'vitest';
import { hold } from '../support/hold.ts';
import { startLocalServer } from '../support/local-server.ts';

test('[RPL1, INT14] a client that leaves while its session is being opened is not counted', async () => {
  const local = await startLocalServer();
  const [stayer, leaver] = await Promise.all([local.open(), local.open()]);
  const session = await stayer.createSession();
  const [asked, left] = [hold(), hold()];
  local.store.intercept('sessions', 'get', async (find) => {
    asked.release();
    await left.until;
    return find();
  });
  leaver.send({ type: 'subscribe', sessionId: session });
  await asked.until;
  await leaver.close();
  left.release();
  await stayer.follow(session);
  await stayer.until((frame) => frame.type === 'presence' && frame.sessionId === session);
  expect(stayer.frames.findLast(({ type }) => type === 'presence')).toMatchObject({ connections: 1 });
});
