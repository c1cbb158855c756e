import { expect, test } from 'vitest';
import { readParams } from './params.ts';
import { toMessageText } from './prompt-text.ts';

const read = (...prompt: object[]) => toMessageText(readParams('session/prompt', { sessionId: 's', prompt }).prompt);
const text = (words: string) => ({ type: 'text', text: words });

test('[ACP3] a prompt is its words, with links and the texts of files', () => {
  expect(read(text('Look at '), { type: 'resource_link', uri: 'file:///a.ts', name: 'a.ts' }, text('.'))).toBe(
    'Look at [a.ts](file:///a.ts).',
  );
  expect(read(text('See'), { type: 'resource', resource: { uri: 'file:///b.ts', text: 'b\n```' } })).toBe(
    'See\n\nfile:///b.ts\n````\nb\n```\n````',
  );
});

test.each([
  [[]],
  [[text('  \n')]],
  [[{ type: 'image', data: '', mimeType: 'image/png' }]],
  [[{ type: 'audio', data: '', mimeType: 'audio/wav' }]],
  [[{ type: 'resource', resource: { uri: 'file:///c', blob: '' } }]],
  [[{ type: 'film' }]],
])('[ACP3] the prompt %j is refused', (prompt) => {
  expect(() => read(...prompt)).toThrow(expect.objectContaining({ code: -32_602 }));
});
