import { limits } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { readResult } from './tool-result.ts';

test('[AGT4, SEC6] images that would make a result too large are replaced by a text, and the call does not fail', () => {
  const image = (length: number) => ({ type: 'image', mimeType: 'image/png', data: 'A'.repeat(length) }) as const;
  const content = [{ type: 'text', text: 'Three.' } as const, image(600_000), image(600_000), image(200_000)];
  const result = readResult({ content }, 'it') as { content: { type: string; text?: string }[] };
  expect(result.content.map(({ type }) => type)).toEqual(['text', 'image', 'text', 'image']);
  expect(result.content[2]?.text).toBe('image (image/png) is left out: it has 600000 characters of base64.');
  expect(JSON.stringify(result).length).toBeLessThan(limits.resultBytes);
});

test('[AGT4, FRM1] for a value with a number that would be rounded, the text with the exact number is returned', () => {
  const text = '{"order": 1234567890123456789}';
  expect(readResult({ content: [{ type: 'text', text }], structuredContent: JSON.parse(text) }, 's')).toBe(text);
});
