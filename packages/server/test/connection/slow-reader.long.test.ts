import { burstSeconds } from '@parleyhq/core';
import { expect, test, vi } from 'vitest';
import { startLocalServer } from '../support/local-server.ts';
import { pluginOf } from '../support/plugin-file.ts';
import type { Tab } from '../support/tab.ts';
import { useServer } from '../support/use-server.ts';

const bulky = `export default { name: 'bulky', tools: [{
  name: 'bulk', description: 'Returns a lot.', parameters: { type: 'object' },
  handler: ({ size }) => 'x'.repeat(size),
}] };`;

const server = useServer({ plugins: [pluginOf(bulky)] });

test('[FRM5] a stalled reader loses only its own connection, and resumes from its cursor without a gap', async () => {
  const [writer, slow] = await Promise.all([server.open(), server.open()]);
  const session = await writer.createSession();
  await Promise.all([writer.follow(session), slow.follow(session)]);
  await writer.say(session, 'hello');
  await slow.event(session, 'turn_end');
  slow.pause();
  const text = 'y'.repeat(200_000);
  for (let n = 0; n < 100; n += 1) await writer.say(session, text, `m${n}`);
  const stuck = writer.until((frame) => frame.type === 'presence' && frame.connections === 1);
  await stuck;
  expect(writer.closeCode).toBeUndefined();

  const epoch = (await slow.waitFor('welcome')).epoch;
  slow.resume();
  expect([4413, 1006]).toContain(await slow.closed());
  const seq = slow.events(session).at(-1)?.seq ?? 0;
  const back = await server.open({ clientId: slow.clientId });
  await back.follow(session, { cursor: { epoch, seq } });
  expect(back.frames.some(({ type }) => type === 'reset')).toBe(false);
  const total = writer.events(session).length;
  await back.until(() => (back.events(session).at(-1)?.seq ?? 0) >= total);
  const seen = [...slow.events(session), ...back.events(session)].map((event) => event.seq);
  expect(seen.slice(0, total)).toEqual(Array.from({ length: total }, (_, index) => index + 1));
});

test('[FRM5, SEC11] a client that does not read gets one page, however many it requests, and the others once it reads', async () => {
  const [writer, slow] = await Promise.all([server.open(), server.open()]);
  const session = await writer.createSession();
  await writer.follow(session);
  await writer.say(session, '/call bulk {"size":500000}');
  await writer.event(session, 'turn_end');
  const reads = Array.from({ length: 150 }, (_, n) => `page ${n}`);
  const [dropped, before] = [await readMetric(slowDrops), await readMetric(residentBytes)];
  slow.pause();
  slow.sendTogether(
    reads.map((requestId) => ({ type: 'read_events', requestId, sessionId: session, before: 9, limit: 9 })),
  );
  slow.sendTogether([{ type: 'user_message', sessionId: session, messageId: 'behind', text: 'behind them' }]);
  await writer.event(session, 'user_message', ({ payload }) => payload.messageId === 'behind'); // all were accepted
  expect(await readMetric(slowDrops)).toBe(dropped);
  expect((await readMetric(residentBytes)) - before).toBeLessThan(100 * 1024 * 1024);

  slow.resume();
  for (const requestId of reads)
    expect(await slow.until((frame) => frame.type === 'reply' && frame.requestId === requestId)).toMatchObject({
      ok: true,
    });
  expect(slow.closeCode).toBeUndefined();
});

test('[FRM5, SEC11] catching up with many sessions at once leaves one chunk unsent at a time', async () => {
  const [writer, slow] = await Promise.all([server.open(), server.open()]);
  const sessions = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const session = await writer.createSession();
      await writer.say(session, '/call bulk {"size":1000000}');
      return session;
    }),
  );
  for (const session of sessions) await writer.follow(session);
  for (const session of sessions) await writer.event(session, 'turn_end');
  const dropped = await readMetric(slowDrops);
  slow.sendTogether(sessions.map((sessionId) => ({ type: 'subscribe', sessionId })));
  for (const session of sessions) await slow.until((frame) => frame.type === 'live' && frame.sessionId === session);
  expect(await readMetric(slowDrops)).toBe(dropped);
});

test('[SEC6, SEC11] waiting reads are limited to a burst, and one more is refused', async () => {
  const framesPerSecond = 25;
  const local = await startLocalServer({ framesPerSecond });
  const [writer, slow] = await Promise.all([local.open(), local.open()]);
  const session = await writer.createSession();
  for (let n = 0; n < 3; n += 1) await writer.say(session, 'y'.repeat(150_000));
  let count = 0;
  const read = () => ({ type: 'read_events', requestId: `page ${++count}`, sessionId: session, before: 9, limit: 9 });
  slow.pause();
  slow.sendTogether(Array.from({ length: framesPerSecond * burstSeconds - 10 }, read)); // the hello counted, too
  const askOnce = async () => {
    slow.send(read());
    const metrics = await local.server.metrics.registry.metrics();
    expect(metrics).toMatch(/limits_reached_total\{limit="framesPerSecond"\} [1-9]/);
  };
  await vi.waitFor(askOnce, { interval: 2000 / framesPerSecond, timeout: 15_000 }); // no faster than the client may send
  slow.resume();
  expect(await slow.until((frame) => frame.type === 'reply' && !frame.ok)).toMatchObject({
    error: { code: 'rate_limited' },
  });
  expect(await slow.until((frame) => frame.type === 'reply' && frame.requestId === 'page 90')).toMatchObject({
    ok: true,
  });
});

const slowDrops = 'parley_connections_dropped_total{reason="slow"}';
const residentBytes = 'process_resident_memory_bytes';

/** Reads a metric of the server. */
async function readMetric(name: string): Promise<number> {
  const text = await (await fetch(`${server.httpUrl}/metrics`)).text();
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1] ?? 0,
  );
}

test('[FRM5] fifty stalled readers lose their connections, use no more memory, and others miss no event', async () => {
  const stalled = await Promise.all(Array.from({ length: 50 }, () => server.open()));
  const [writer, reader] = await Promise.all([server.open(), server.open()]);
  const [droppedBefore, bytesBefore] = [await readMetric(slowDrops), await readMetric(residentBytes)];
  const session = await writer.createSession();
  await Promise.all([writer, reader, ...stalled].map((tab) => tab.follow(session)));
  for (const tab of stalled) tab.pause();
  const text = 'y'.repeat(200_000);
  for (let n = 0; n < 80; n += 1) await writer.say(session, text, `m${n}`);
  await writer.until((frame) => frame.type === 'presence' && frame.sessionId === session && frame.connections === 2);
  expect((await readMetric(slowDrops)) - droppedBefore).toBe(50);
  expect((await readMetric(residentBytes)) - bytesBefore).toBeLessThan(400 * 1024 * 1024);

  const total = writer.events(session).length;
  await reader.until(() => reader.events(session).length >= total);
  expect(reader.events(session).slice(0, total)).toEqual(writer.events(session).slice(0, total));
  expect([writer.closeCode, reader.closeCode]).toEqual([undefined, undefined]);
  for (const tab of stalled) tab.terminate();
});

test('[FRM5, SEC6] results of nearly 1 MiB, several at once, reach every tab that reads, live and in replay', async () => {
  const { default: plugin } = await import(pluginOf(bulky));
  // One process writes and reads it all: on a busy machine that may take longer than the patience with one reader.
  const local = await startLocalServer({ plugins: [plugin], durations: { slowReaderMs: 60_000 } });
  const tabs = await Promise.all(Array.from({ length: 4 }, () => local.open()));
  const [first] = tabs as [Tab, ...Tab[]];
  const session = await first.createSession();
  await Promise.all(tabs.map((tab) => tab.follow(session)));
  await first.say(session, Array.from({ length: 4 }, () => '/call bulk {"size":1048000}').join('\n'));
  for (const tab of tabs) await tab.event(session, 'turn_end');
  const late = await local.open();
  await late.follow(session);
  expect(late.events(session)).toEqual(first.events(session));
  expect(tabs.map((tab) => tab.closeCode)).toEqual(tabs.map(() => undefined));
});
