import { expect, test } from 'vitest';
import { splitMedia } from './result-media.ts';

/** An image of one pixel. */
const dotData = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const words = (text: string) => ({ type: 'text', text });

test('[AGT4] images, files and links of a result are separated from its text, and described in their place', () => {
  const content = [
    words('A dot.'),
    { type: 'image', mimeType: 'image/png', data: dotData },
    { type: 'audio', mimeType: 'audio/wav', data: 'aGkh' },
    { type: 'resource', uri: 'toy://film', mimeType: 'video/mp4', data: 'aGkh' },
    { type: 'resource', uri: 'toy://notes', text: 'Buy milk.' },
    { type: 'resource_link', uri: 'toy://more', name: 'more' },
    'odd',
  ];
  expect(splitMedia({ content, structured: { n: 1 } })).toEqual({
    media: [
      { kind: 'image', mimeType: 'image/png', data: dotData },
      { kind: 'file', mimeType: 'audio/wav', data: 'aGkh' },
      { kind: 'file', mimeType: 'video/mp4', data: 'aGkh' },
    ],
    rest: {
      content: [
        words('A dot.'),
        words('[image 1: image/png, 1 kB]'),
        words('[file 2: audio/wav, 1 kB]'),
        words('[file 3: video/mp4, 1 kB]'),
        { type: 'resource', uri: 'toy://notes', text: 'Buy milk.' },
        words('[link: more toy://more]'),
        'odd',
      ],
      structured: { n: 1 },
    },
  });
});

test.each([
  [
    'a document that calls itself an image',
    { type: 'image', mimeType: 'image/svg+xml', data: 'aGkh' },
    'image/svg+xml',
  ],
  [
    'a type that would leave its attribute',
    { type: 'image', mimeType: 'image/png" onload="x', data: 'aGkh' },
    'unknown type',
  ],
  ['one without a type', { type: 'audio', data: 'aGkh' }, 'unknown type'],
  ['a page that calls itself an image', { type: 'image', mimeType: 'image/png', data: 'aGkh' }, 'unknown type'],
])('[AGT4, SEC3] %s is a file, not an image', (_, block, mimeType) => {
  expect(splitMedia({ content: [block] }).media).toEqual([{ kind: 'file', mimeType, data: 'aGkh' }]);
});

test('[AGT4, SEC6] media that are too large, too many or not base64 are left unchanged, or described', () => {
  const large = { type: 'image', mimeType: 'image/png', data: dotData.replaceAll('=', '').padEnd(6_000_001, 'a') };
  expect(splitMedia({ content: [large] })).toEqual({
    media: [],
    rest: { content: [words('[image: image/png, 4501 kB, too large to show]')] },
  });
  const dot = { type: 'image', mimeType: 'image/png', data: dotData };
  const wide = btoa(atob(dotData).replace('\0\0\0\x01', '\0\0\x1f\x41')); // 8001 pixels
  expect(splitMedia({ content: [{ ...dot, data: wide }] }).media).toEqual([]);
  expect(splitMedia({ content: Array.from({ length: 30 }, () => dot) }).media).toHaveLength(20);
  const broken = { content: [{ ...dot, data: 'javascript:alert(1)' }] };
  expect(splitMedia(broken)).toEqual({ media: [], rest: broken });
  for (const other of ['text', null, [dot], { content: 'text' }])
    expect(splitMedia(other)).toEqual({ media: [], rest: other });
});
