import { expect, test } from 'vitest';
import { useGuardedServer } from '../support/guarded-server.ts';

const server = useGuardedServer();

test('[INT14] who comes and goes is told only where it may see the session', async () => {
  const watcher = await server.enter();
  const [mine, other] = [await watcher.createSession(), await watcher.createSession()];
  for (const id of [mine, other]) {
    await watcher.follow(id);
    await watcher.until((frame) => frame.type === 'presence' && frame.sessionId === id && frame.connections === 1);
  }
  const from = watcher.frames.length;
  const guest = await server.enter({ role: 'responder', sessions: [mine] });
  await watcher.until((frame) => frame.type === 'presence' && frame.enabled === 2, from);
  await guest.close();
  await watcher.until((frame) => frame.type === 'presence' && frame.enabled === 1, from);
  const told = watcher.frames.slice(from).flatMap((frame) => (frame.type === 'presence' ? [frame.sessionId] : []));
  expect(new Set(told)).toEqual(new Set([mine]));
});
