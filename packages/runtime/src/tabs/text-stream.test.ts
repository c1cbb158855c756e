import type { ChatEvent, FrameBatch, ServerFrameOf } from '@parleyhq/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TextStream } from './text-stream.ts';

const place = { turnId: 't', responseId: 'r', block: 0, kind: 'text' } as const;
const output = { ...place, kind: 'tool_output', toolCallId: 'c' } as const;

const reader = { id: 'p', role: 'viewer' } as const;

let tabs = 1;
let sent: ServerFrameOf<'stream'>[];
let stream: TextStream;
beforeEach(() => {
  vi.useFakeTimers();
  tabs = 1;
  sent = [];
  const sendFrame = ({ texts }: FrameBatch) => sent.push(...texts.map((text) => JSON.parse(text)));
  const outbox = {
    sendFrame,
    get size() {
      return tabs;
    },
  };
  stream = new TextStream('s', outbox as never, { hides: () => false });
});
afterEach(() => {
  vi.useRealTimers();
});

const event = (type: string, payload: object) => ({ type, payload, turnId: 't', responseId: 'r' }) as ChatEvent;

test('[EVT4] what is written in one tick is sent as one frame, with its offset in UTF-16 units', () => {
  stream.write(place, 'a\u{1F600}');
  stream.write(place, 'b');
  vi.runAllTimers();
  stream.write(place, 'c');
  vi.runAllTimers();
  expect(sent).toMatchObject([
    { type: 'stream', sessionId: 's', ...place, offset: 0, text: 'a\u{1F600}b' },
    { offset: 4, text: 'c' },
  ]);
});

test.each([
  [10, 0],
  [11, 16],
  [99, 16],
  [100, 50],
])('[EVT4] %i tabs wait %i ms for what can be merged', (count, ms) => {
  tabs = count;
  stream.write(place, 'a');
  vi.advanceTimersByTime(Math.max(0, ms - 1));
  expect(sent).toHaveLength(ms === 0 ? 1 : 0);
  vi.advanceTimersByTime(1);
  expect(sent).toHaveLength(1);
});

test('[EVT4] its durable event ends a block, and only that one', () => {
  const other = { ...place, block: 1 };
  stream.write(place, 'one');
  stream.write(other, 'two');
  stream.end(event('assistant_done', { block: 0, text: 'one' }));
  vi.runAllTimers();
  expect(sent).toMatchObject([{ block: 1, text: 'two' }]);
  expect(stream.snapshot(reader)).toMatchObject([{ block: 1, offset: 0, text: 'two' }]);
  stream.end(event('turn_end', { status: 'completed' }));
  expect(stream.snapshot(reader)).toEqual([]);
});

test('[EVT4] a joiner gets the whole text, and no part of it again', () => {
  stream.write(place, 'so far');
  expect(stream.snapshot(reader)).toEqual([{ ...place, offset: 0, text: 'so far' }]);
  vi.runAllTimers();
  expect(sent).toHaveLength(1);
});

test('[EVT4] a joiner gets the end of a long tool output, at its true offset', () => {
  const line = 'x'.repeat(1024);
  for (let n = 0; n < 300; n += 1) {
    stream.write(output, line);
    vi.runAllTimers();
  }
  const [part] = stream.snapshot(reader);
  expect(part?.text.length).toBeLessThanOrEqual(128 * 1024);
  expect((part?.offset ?? 0) + (part?.text.length ?? 0)).toBe(300 * 1024);
  expect(sent.map(({ offset }) => offset)).toEqual(Array.from({ length: 300 }, (_, n) => n * 1024));
});
