import { expect, test } from 'vitest';
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

/** Of the server, at this moment. */
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
  const dropped = 'parley_connections_dropped_total{reason="slow"}';
  const [droppedBefore, bytesBefore] = [await readMetric(dropped), await readMetric('process_resident_memory_bytes')];
  const session = await writer.createSession();
  await Promise.all([writer, reader, ...stalled].map((tab) => tab.follow(session)));
  for (const tab of stalled) tab.pause();
  const text = 'y'.repeat(200_000);
  for (let n = 0; n < 80; n += 1) await writer.say(session, text, `m${n}`);
  await writer.until((frame) => frame.type === 'presence' && frame.sessionId === session && frame.connections === 2);
  expect((await readMetric(dropped)) - droppedBefore).toBe(50);
  expect((await readMetric('process_resident_memory_bytes')) - bytesBefore).toBeLessThan(400 * 1024 * 1024);

  const total = writer.events(session).length;
  await reader.until(() => reader.events(session).length >= total);
  expect(reader.events(session).slice(0, total)).toEqual(writer.events(session).slice(0, total));
  expect([writer.closeCode, reader.closeCode]).toEqual([undefined, undefined]);
  for (const tab of stalled) tab.terminate();
});

test('[FRM5, SEC6] results of nearly 1 MiB, several at once, reach every tab that reads, live and in replay', async () => {
  const tabs = await Promise.all(Array.from({ length: 4 }, () => server.open()));
  const [first] = tabs as [Tab, ...Tab[]];
  const session = await first.createSession();
  await Promise.all(tabs.map((tab) => tab.follow(session)));
  await first.say(session, Array.from({ length: 4 }, () => '/call bulk {"size":1048000}').join('\n'));
  for (const tab of tabs) await tab.event(session, 'turn_end');
  const late = await server.open();
  await late.follow(session);
  expect(late.events(session)).toEqual(first.events(session));
  expect(tabs.map((tab) => tab.closeCode)).toEqual(tabs.map(() => undefined));
});
