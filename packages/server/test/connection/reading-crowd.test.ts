import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { useGuardedServer } from '../support/guarded-server.ts';

const server = useGuardedServer();

/** Returns the maximum of pages begun in one turn of the event loop, until all were read. */
async function mostAtOnce(count: number, ask: () => void): Promise<number> {
  let [read, most] = [0, 0];
  server.local.store.intercept('events', 'read', (proceed) => {
    read += 1;
    return proceed();
  });
  ask();
  while (read < count) {
    const before = read;
    await setImmediate();
    most = Math.max(most, read - before);
  }
  server.local.store.intercept('events', 'read', (proceed) => proceed());
  return most;
}

test('[FRM5, SEC11] however many connections one person reads with, the server reads one page of theirs at a time', async () => {
  const writer = await server.enter();
  const session = await writer.createSession();
  await writer.follow(session);
  await writer.say(session, 'hello');
  await writer.event(session, 'turn_end');
  const { token } = await server.makeToken({ role: 'viewer' });
  const crowd = await Promise.all(Array.from({ length: 40 }, () => server.local.open({ hello: { token } })));
  const read = (n: number) => ({
    type: 'read_events',
    requestId: `page ${n}`,
    sessionId: session,
    before: 9,
    limit: 9,
  });
  const reads = Array.from({ length: 5 }, (_, n) => read(n));
  expect(await mostAtOnce(200, () => crowd.map((tab) => tab.sendTogether(reads)))).toBeLessThanOrEqual(2);
  for (const tab of crowd)
    expect(await tab.until((frame) => frame.type === 'reply' && frame.requestId === 'page 4')).toMatchObject({
      ok: true,
    });
});
