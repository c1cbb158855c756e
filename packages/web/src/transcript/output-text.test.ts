import { expect, test } from 'vitest';
import { writeOutput } from './output-text.ts';

test.each([
  ['a text', 'one\ntwo\n', 'one\ntwo\n'],
  [
    'blocks of text',
    [
      { type: 'text', text: 'one' },
      { type: 'text', text: 'two' },
    ],
    'one\ntwo',
  ],
  ['a result of blocks', { content: [{ type: 'text', text: 'one' }] }, 'one'],
  ['a command', { exitCode: 1, output: 'no\n\tsuch file\n' }, 'no\n\tsuch file\n\nexitCode: 1'],
  ['both streams', { stdout: 'out\n', stderr: 'err\n', code: 0 }, 'out\n\nerr\n\ncode: 0'],
  ['a silent command', { output: '', exitCode: 0 }, 'exitCode: 0'],
  ['another block', [{ type: 'image', data: 'x' }], '[\n  {\n    "type": "image",\n    "data": "x"\n  }\n]'],
  [
    'a block with more',
    [{ type: 'text', text: 'a', cite: 'b' }],
    '[\n  {\n    "type": "text",\n    "text": "a",\n    "cite": "b"\n  }\n]',
  ],
  ['anything else', { ok: true }, '{\n  "ok": true\n}'],
  ['nothing', undefined, 'null'],
])('[WEB2] a result is shown as it was printed, and no part is left out: %s', (_, result, text) => {
  expect(writeOutput(result)).toBe(text);
});
