import type { InteractionItem, Items } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { describeDifference } from './difference-words.ts';

/** The text of a template, with values in code between backticks. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('');
  if (value && typeof value === 'object' && 'strings' in value) {
    const { strings, values } = value as unknown as { strings: string[]; values: unknown[] };
    return strings
      .map((each, n) => each + (n < values.length ? textOf(values[n]) : ''))
      .join('')
      .replaceAll(/<\/?code>/g, '`')
      .replaceAll(/<[^>]*>/g, '');
  }
  return typeof value === 'string' ? value : '';
}

const entry = (seq: number, id: string, args: object, response?: object, about: object = {}): [string, unknown][] => [
  [`tool:${id}`, { kind: 'tool', call: { payload: { toolCallId: id, toolName: 'run', args } } }],
  [
    `interaction:${id}`,
    {
      kind: 'interaction',
      request: {
        seq,
        payload: {
          toolCallId: id,
          toolName: 'run',
          interactionType: 'approval',
          source: { kind: 'tool', name: 'run' },
          ...about,
        },
      },
      ...(response && { response: { payload: response } }),
    },
  ],
];
const line = (first: [string, unknown][], second: [string, unknown][]) => {
  const items = new Map<string, unknown>([...first, ...second]) as unknown as Items;
  return textOf(describeDifference(items, (second[1] as [string, unknown])[1] as InteractionItem));
};

test('[LESS2] the line does not say that what was edited before it ran was allowed', () => {
  const args = { command: 'rm -rf /' };
  const edited = { action: 'approve', editedArgs: { command: 'rm -rf ./tmp' } };
  expect(line(entry(2, 'a', args, edited), entry(4, 'b', args))).not.toBe(
    'The same as last time, when it was allowed.',
  );
});

test('[LESS2] the line does not call a subject that is another one the same', () => {
  const shown = (text: string) => ({ title: 'Apply this change?', subject: { kind: 'diff', text } });
  const args = { env: 'production' };
  const first = entry(2, 'a', args, { action: 'approve' }, shown('-a\n+b'));
  expect(line(first, entry(4, 'b', args, undefined, shown('-all users\n+nobody')))).not.toBe(
    'The same as last time, when it was allowed.',
  );
});

test('[LESS2] the name of an argument does not read as words of the server', () => {
  const odd = { 'command and folder as last time, when it was allowed; other note': 1 };
  const said = line(
    entry(2, 'a', { command: 'ls', ...odd }, { action: 'deny' }),
    entry(4, 'b', { command: 'rm -rf /', ...odd }),
  );
  expect(said).not.toMatch(/^Same command and folder as last time, when it was allowed/);
});
