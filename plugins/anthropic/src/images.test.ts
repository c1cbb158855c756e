import { expect, test } from 'vitest';
import { keepNewestImages } from './images.ts';
import type { MessageParam } from './messages-client.ts';

const image = (data: string) => ({ type: 'image', source: { type: 'base64', media_type: 'image/png', data } }) as const;
const words = { type: 'text', text: 'A dot.' } as const;

/** A conversation with one result for each of these images. */
function withImages(images: readonly string[]): MessageParam[] {
  return images.flatMap((data, index): MessageParam[] => [
    { role: 'assistant', content: [{ type: 'tool_use', id: `c${index}`, name: 'picture', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: `c${index}`, content: [words, image(data)] }, words],
    },
  ]);
}

function kept(messages: readonly MessageParam[]): string[] {
  return [...JSON.stringify(keepNewestImages(messages)).matchAll(/"data":"(\w+)"/g)].map(([, data = '']) => data);
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `i${index}`);

test('[AGT2, AGT4] up to twenty images of a conversation are sent as they are', () => {
  const messages = withImages(names(20));
  expect(keepNewestImages(messages)).toEqual(messages);
});

test('[AGT2, AGT4] beyond that the oldest are replaced by text, ten at a time, and nothing else changes', () => {
  const messages = withImages(names(21));
  const sent = keepNewestImages(messages);
  expect(kept(messages)).toEqual(names(21).slice(10));
  expect(kept(withImages(names(30)))).toEqual(names(30).slice(10));
  expect(kept(withImages(names(31)))).toEqual(names(31).slice(20));
  expect(sent[1]?.content[0]).toMatchObject({
    type: 'tool_result',
    tool_use_id: 'c0',
    content: [words, { type: 'text', text: expect.stringContaining('left out') }],
  });
  expect(sent[0]).toEqual(messages[0]);
  expect(sent.at(-1)).toEqual(messages.at(-1));
});

test('[AGT2, AGT4] fewer large images are sent', () => {
  const large = Array.from({ length: 12 }, () => 'a'.repeat(2_000_000));
  expect(kept(withImages(large))).toHaveLength(2);
  expect(kept(withImages(['a'.repeat(20_000_001)]))).toEqual([]);
});

test('[AGT2] a conversation without images is left alone', () => {
  const messages: MessageParam[] = [
    { role: 'user', content: [words, { type: 'tool_result', tool_use_id: 'c', content: 'x' }] },
  ];
  expect(keepNewestImages(messages)).toEqual(messages);
});
