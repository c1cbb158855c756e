import type { Plugin, ServerFrameOf } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { useLocalServer } from '../support/local-server.ts';
import type { Tab } from '../support/tab.ts';

const smileys: Plugin = {
  name: 'smileys',
  tools: [
    {
      name: 'smile',
      description: 'Writes emoji.',
      parameters: { type: 'object' },
      async handler(_, ctx) {
        for (let n = 0; n < 50; n += 1) {
          ctx.progress(`a\u{1F600}e\u0301${n}`);
          if (n % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
        }
        setTimeout(() => ctx.progress('too late'), 5);
        return 'done';
      },
    },
  ],
};

const server = useLocalServer({ plugins: [smileys] });

type Stream = ServerFrameOf<'stream'>;

/** Joins stream frames like a tab: each begins where the last one ended. */
function join(frames: readonly Stream[], start = ''): string {
  return frames.reduce((text, frame) => {
    expect(frame.offset).toBe(text.length);
    return text + frame.text;
  }, start);
}

const streams = (tab: Tab, kind: Stream['kind'] = 'text') =>
  tab.frames.filter((frame): frame is Stream => frame.type === 'stream' && frame.kind === kind);

test('[EVT4] streamed text is contiguous and ends with the durable text; nothing of it is sent after that', async () => {
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/stream 300 0');
  const done = await tab.event(session, 'assistant_done');
  await tab.event(session, 'turn_end');
  expect(streams(tab).length).toBeGreaterThan(2);
  expect(done.payload.text.startsWith(join(streams(tab)))).toBe(true);
  const last = tab.frames.findLastIndex((frame) => frame.type === 'stream');
  const durable = tab.frames.findIndex((frame) => frame.type === 'chat_event' && frame.event.seq === done.seq);
  expect(last).toBeLessThan(durable);
  expect(streams(tab)[0]).toMatchObject({ turnId: done.turnId, responseId: done.responseId, block: 0, offset: 0 });
});

test("[EVT4] offsets count UTF-16 units, in tools' progress too, which ends with the tool's result", async () => {
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call smile {}');
  const { toolCallId } = (await tab.event(session, 'tool_result')).payload;
  await tab.event(session, 'turn_end');
  const output = streams(tab, 'tool_output');
  expect(output.every((frame) => frame.toolCallId === toolCallId)).toBe(true);
  const whole = Array.from({ length: 50 }, (_, n) => `a\u{1F600}e\u0301${n}`).join('');
  expect(join(output)).toBe(whole.slice(0, join(output).length));
  expect(join(output).length).toBeGreaterThan(100);
  await tab.say(session, '/stream 30 1');
  await tab.event(session, 'turn_end', undefined, tab.events(session).at(-1)?.seq);
  expect(streams(tab, 'tool_output')).toHaveLength(output.length);
});

test('[EVT4] a tab that joins mid-stream gets the text so far, and continues from there', async () => {
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/stream 60 5');
  await tab.until(() => streams(tab).length >= 10);
  const joiner = await server.open();
  const snapshot = await joiner.follow(session);
  expect(joiner.frames.slice(0, joiner.frames.indexOf(snapshot)).filter(({ type }) => type === 'stream')).toEqual([]);
  expect(snapshot.streams).toMatchObject([
    { kind: 'text', block: 0, offset: 0, text: expect.stringMatching(/^1 2 3 /) },
  ]);
  const done = await joiner.event(session, 'assistant_done');
  const joined = join(streams(joiner), snapshot.streams[0]?.text);
  expect(done.payload.text.startsWith(joined)).toBe(true);
  expect(streams(joiner).length).toBeGreaterThan(2);
  expect((await (await server.open()).follow(session)).streams).toEqual([]);
});

test('[EVT4] many tabs get merged windows: fewer frames, the same text', async () => {
  const tabs = await Promise.all(Array.from({ length: 30 }, () => server.open()));
  const [first] = tabs as [Tab, ...Tab[]];
  const session = await first.createSession();
  await Promise.all(tabs.map((tab) => tab.follow(session)));
  await first.say(session, '/stream 200 1');
  for (const tab of tabs) {
    const done = await tab.event(session, 'assistant_done');
    expect(done.payload.text.startsWith(join(streams(tab)))).toBe(true);
    expect(streams(tab).length).toBeGreaterThan(2);
    expect(streams(tab).length).toBeLessThan(100);
  }
});

test('[EVT4, INT11] a stop in the middle keeps the text as interrupted, and no stream frame comes after it', async () => {
  for (let round = 0; round < 8; round += 1) {
    const tab = await server.open();
    const session = await tab.createSession();
    await tab.follow(session);
    await tab.say(session, '/stream 100000 0');
    await tab.until(() => streams(tab).length >= 5 + round);
    await tab.ask({ type: 'cancel_turn', sessionId: session });
    const done = await tab.event(session, 'assistant_done');
    expect(done.payload.interrupted).toBe(true);
    await tab.say(session, '/stream 20 1');
    await tab.event(session, 'turn_end', ({ payload }) => payload.status === 'completed');
    const durable = tab.frames.findIndex((frame) => frame.type === 'chat_event' && frame.event.seq === done.seq);
    const after = tab.frames.slice(durable).filter((frame) => frame.type === 'stream');
    expect(after.filter(({ responseId }) => responseId === done.responseId)).toEqual([]);
    join(streams(tab).filter(({ responseId }) => responseId === done.responseId));
    await tab.close();
  }
});
