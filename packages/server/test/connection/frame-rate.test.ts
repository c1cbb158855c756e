import { limits } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { useLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';
import { startServer } from '../support/use-server.ts';

const burst = 4 * limits.framesPerSecond;

const server = useLocalServer({ framesPerSecond: limits.framesPerSecond });

const lists = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ type: 'list_sessions', limit: 1, requestId: `r${n}` }));

const repliesTo = (tab: Tab) => tab.frames.flatMap((frame) => (frame.type === 'reply' ? [frame] : []));

async function replied(tab: Tab, count: number) {
  await tab.until(() => repliesTo(tab).length >= count);
  return repliesTo(tab);
}

test('[SEC6] a burst of two hundred frames is answered to the last, hello among them', async () => {
  const tab = await server.open();
  tab.sendTogether(lists(burst - 1));
  expect((await replied(tab, burst - 1)).every(({ ok }) => ok)).toBe(true);
  expect(tab.closeCode).toBeUndefined();
});

test('[SEC6, FRM1] frames over the limit are refused with a code and not executed, and the connection stays open', async () => {
  const tab = await server.open();
  const sessionId = await tab.createSession();
  const count = burst + 15;
  tab.sendTogether(
    Array.from({ length: count }, (_, n) => ({
      type: 'update_session',
      sessionId,
      title: `n ${n}`,
      requestId: `r${n}`,
    })),
  );
  const replies = (await replied(tab, count + 1)).slice(1);
  const refused = replies.filter((reply) => !reply.ok);
  expect(refused.length).toBeGreaterThan(0);
  for (const { error } of refused) expect(error).toMatchObject({ code: 'rate_limited' });
  expect(tab.closeCode).toBeUndefined();
  const other = await server.open();
  expect(await other.follow(sessionId)).toMatchObject({ seq: count - refused.length });
});

test('[SEC6, FRM3] a client that does not slow down is closed with 4429, and nobody else', async () => {
  const [fast, other] = await Promise.all([server.open(), server.open()]);
  fast.sendTogether(lists(burst + 100));
  expect(await fast.closed()).toBe(4429);
  expect(repliesTo(fast).filter((reply) => !reply.ok && reply.error.code === 'rate_limited').length).toBeLessThan(21);
  await other.ask({ type: 'list_sessions' });
  const back = await server.open({ clientId: fast.clientId });
  await back.ask({ type: 'list_sessions' });
});

test('[SEC6] WebSocket pings count too: their pongs cannot pile up', async () => {
  const tab = await server.open();
  for (let n = 0; n < burst + 100; n += 1) tab.ping();
  expect(await tab.closed()).toBe(4429);
});

test('[SEC6] an operator can raise the limit', async () => {
  const own = await startServer({ env: { PARLEY_FRAMES_PER_SECOND: '1000' } });
  const tab = await own.open();
  expect((await tab.waitFor('welcome')).limits).toMatchObject({ framesPerSecond: 1000 });
  tab.sendTogether(lists(2000));
  expect((await replied(tab, 2000)).every(({ ok }) => ok)).toBe(true);
});
