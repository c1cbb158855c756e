import { expect, test } from 'vitest';
import type { ChatEvent } from './event.ts';
import { emptyHead, type Head, reduceHead } from './head.ts';
import { excerptHead, fillExcerpt, fillFromHead } from './head-excerpt.ts';

const bytes = 512 * 1024;

const stamp = (events: readonly object[]) =>
  events.map((event, index) => ({ id: `e${index}`, sessionId: 's', v: 1, ...event, seq: index + 1 })) as ChatEvent[];

const call = (n: number, args: object) => ({
  type: 'tool_call',
  payload: { toolCallId: `t-${n}`, toolName: 'bulk', args, authorised: { by: 'tool' } },
});

const request = (n: number, part: object) => ({
  type: 'interaction_request',
  payload: {
    ...{ toolCallId: `t-${n}`, interactionId: `t-${n}.1`, slot: '1', toolName: 'bulk', interactionType: 'approval' },
    ...{ attempt: 1, presentation: 'tool', source: { kind: 'tool', name: 'bulk' }, digest: 'd', onUnavailable: 'wait' },
    ...part,
  },
});

const fileOf = (fileId: string) => ({
  fileId,
  name: '🫖'.repeat(100),
  mediaType: 'image/png',
  size: 1,
  sha256: '0'.repeat(64),
});
const queued = (n: number, text: string, part: object = {}) => ({
  type: 'message_queued',
  payload: { messageId: `m-${n}`, text, origin: 'user', ...part },
});

const times = (count: number, make: (n: number) => object) => Array.from({ length: count }, (_, n) => make(n));

const form = { type: 'form', fields: times(200, (n) => ({ id: `f${n}`, type: 'text', label: 'A label '.repeat(15) })) };

const logs: Readonly<Record<string, readonly object[]>> = {
  'a hundred messages of 255 KiB': times(100, (n) => queued(n, 'x'.repeat(255 * 1024))),
  'a hundred subjects of 64 KiB': times(100, (n) =>
    request(n, { subject: { kind: 'text', text: 'x'.repeat(65_536) } }),
  ),
  'a hundred of the largest forms': times(100, (n) => request(n, { inputSchema: form })),
  'calls with large arguments': times(50, (n) => call(n, { text: 'x'.repeat(200_000) })),
  'messages of files alone': times(100, (n) => queued(n, '', { files: times(10, (at) => fileOf(`${n}-${at}`)) })),
  'text of three bytes a character': times(100, (n) => queued(n, '\u20ac'.repeat(50_000))),
  'an edited message': [
    ...times(10, (n) => queued(n, 'x'.repeat(255 * 1024))),
    queued(3, 'y'.repeat(255 * 1024), { isEdit: true }),
  ],
};

const fold = (events: readonly ChatEvent[]) => events.reduce(reduceHead, emptyHead);

/** The content of a head without its marks. */
const withoutMarks = (head: Head) =>
  JSON.parse(JSON.stringify({ ...head, isExcerpt: undefined }, (key, value) => (key === 'isCut' ? undefined : value)));

test.each(Object.entries(logs))('[SEC11] %s: the snapshot is bounded, and the log restores it', (_, log) => {
  const events = stamp(log);
  const head = fold(events);
  const excerpt = excerptHead(head, bytes);
  expect(Buffer.byteLength(JSON.stringify(excerpt))).toBeLessThanOrEqual(bytes);
  expect(excerpt.prompts.map(({ request: { interactionId } }) => interactionId)).toEqual(
    head.prompts.map(({ request: { interactionId } }) => interactionId),
  );
  expect(withoutMarks(events.reduce(fillExcerpt, excerpt))).toEqual(withoutMarks(head));
  expect(withoutMarks(fillFromHead(excerpt, head))).toEqual(withoutMarks(head));
});

test('[SEC11] a head that fits is unchanged', () => {
  const head = fold(stamp([queued(1, 'hello'), request(1, { title: 'Well?' })]));
  expect(excerptHead(head, bytes)).toBe(head);
});

test('[SEC11, TEAM2] what determines who may answer is never cut', () => {
  const asked = { risk: 'high', audience: { exclude: ['requester'] }, requesters: ['ann'] };
  const head = fold(stamp(times(100, (n) => request(n, { ...asked, inputSchema: form }))));
  const { prompts } = excerptHead(head, 64 * 1024);
  expect(prompts[0]).toMatchObject({ isCut: true, request: asked });
});
