import { expect, test } from 'vitest';
import { useLocalServer } from '../support/local-server.ts';

const heartbeatMs = 80;

const local = useLocalServer({ durations: { heartbeatMs } });

test('[FRM4] a client that answers pings stays, one that misses two is closed and no longer counted', async () => {
  const [asleep, awake] = await Promise.all([local.open(), local.open()]);
  const session = await awake.createSession();
  await Promise.all([asleep.follow(session), awake.follow(session)]);
  await awake.until((frame) => frame.type === 'presence' && frame.connections === 2);
  const begin = performance.now();
  asleep.pause();
  await awake.until((frame) => frame.type === 'presence' && frame.connections === 1 && frame.enabled === 1);
  expect(performance.now() - begin).toBeGreaterThan(2 * heartbeatMs);
  expect(awake.closeCode).toBeUndefined();
});

test('[FRM4] a client that answers again after one missed pong stays', async () => {
  const tab = await local.open();
  const pings = () => tab.pings;
  for (let nap = 0; nap < 4; nap += 1) {
    const before = pings();
    tab.pause();
    await new Promise((resolve) => setTimeout(resolve, 1.5 * heartbeatMs)); // one ping passes unanswered, or two at most
    tab.resume();
    await tab.pinged(before + 2);
  }
  expect(tab.closeCode).toBeUndefined();
});
