import { limits } from '@parleyhq/core';
import { expect, test, vi } from 'vitest';
import { startGuardedServer, useGuardedServer } from '../support/guarded-server.ts';

const server = useGuardedServer();

const enterSilently = () => server.local.open({ hello: null });

/** Counts the characters with this mark that were parsed while `work` ran. */
async function countParsed(mark: string, work: () => Promise<unknown>): Promise<number> {
  const parse = vi.spyOn(JSON, 'parse');
  await work();
  const texts = parse.mock.calls.map(([text]) => String(text)).filter((text) => text.includes(mark));
  parse.mockRestore();
  return texts.reduce((sum, { length }) => sum + length, 0);
}

const draft = (mark: string, bytes: number) => ({
  type: 'draft',
  sessionId: 's',
  interactionId: 'i',
  values: { [mark]: 'x'.repeat(bytes) },
});

test('[SEC11] large frames without a token are not parsed, and the first one closes the connection', async () => {
  const tabs = await Promise.all(Array.from({ length: 5 }, enterSilently));
  const parsed = await countParsed('stranger', async () => {
    for (const tab of tabs) tab.sendTogether(Array.from({ length: 4 }, () => draft('stranger', 200_000)));
    expect(await Promise.all(tabs.map((tab) => tab.closed()))).toEqual(tabs.map(() => 4429));
  });
  expect(parsed).toBe(0);
});

test('[SEC11] many small frames before hello are accepted up to a few KiB', async () => {
  const tab = await enterSilently();
  const parsed = await countParsed('stranger', async () => {
    tab.sendTogether(Array.from({ length: 100 }, () => draft('stranger', 1000)));
    expect(await tab.closed()).toBe(4429);
  });
  expect(parsed).toBeLessThanOrEqual(limits.helloBytes);
});

test('[SEC11] an endless frame closes the connection before it is complete', async () => {
  const tab = await enterSilently();
  tab.sendPart('x'.repeat(64 * 1024));
  expect(await tab.closed()).toBe(4429);
});

test('[SEC11] what is sent right after a hello is not read before its token was verified', async () => {
  const tab = await enterSilently();
  const parsed = await countParsed('stranger', async () => {
    tab.sendTogether([{ type: 'hello', protocol: 1, token: 'a wrong one, long enough' }, draft('stranger', 200_000)]);
    expect(await tab.closed()).toBe(4401);
  });
  expect(parsed).toBe(0);
});

test('[SEC11] a hello of maximum size is admitted', async () => {
  const tab = await enterSilently();
  const names = { clientId: 'c'.repeat(200), label: 'l'.repeat(200) };
  tab.sendTogether([
    { type: 'hello', protocol: 1, token: server.token, ...names },
    { type: 'create_session', requestId: 'r', title: 't' },
  ]);
  await tab.waitFor('welcome');
  expect(await tab.waitFor('reply')).toMatchObject({ ok: true });
});

test('[SEC11, SEC6] a large frame counts once against the rate for each started 128 KiB', async () => {
  const strict = await startGuardedServer({ framesPerSecond: 5 });
  const tab = await strict.enter();
  tab.sendTogether(Array.from({ length: 50 }, () => draft('guest', 200_000)));
  expect(await tab.closed()).toBe(4429);
  const handled = tab.frames.filter((frame) => frame.type === 'error' && frame.code === 'not_found').length;
  expect(handled).toBeGreaterThanOrEqual(9);
  expect(handled).toBeLessThan(16); // a burst has twenty
});
