import { expect, test } from 'vitest';
import { say } from './mcp-answer.ts';

const text = (words: string) => [{ type: 'text', text: words }];

test('[ASK6] a text is returned verbatim, any other value as JSON, and an object also as structured content', () => {
  expect(say({ result: 'blue' })).toEqual({ content: text('blue') });
  expect(say({ result: null })).toEqual({ content: text('null') });
  expect(say({ result: [1, 'a'] })).toEqual({ content: text('[1,"a"]') });
  expect(say({ result: { ok: true } })).toEqual({ content: text('{"ok":true}'), structuredContent: { ok: true } });
});

test('[ASK6] a permission is returned as text only', () => {
  expect(say({ result: { behavior: 'allow' } }, { endsWithRequest: true })).toEqual({
    content: text('{"behavior":"allow"}'),
  });
});
