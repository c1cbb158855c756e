import { expect, test } from 'vitest';
import { compareArgs, findDifference, sizeOfDifference } from './difference.ts';
import type { InteractionItem, Items } from './items.ts';

test('[LESS2] arguments are compared member by member', () => {
  expect(compareArgs({ command: 'ls', cwd: 'a' }, { command: 'ls', cwd: 'b' })).toEqual({
    same: [['command']],
    changed: [{ path: ['cwd'], before: 'a', after: 'b' }],
  });
  expect(compareArgs({ input: { a: [1] }, x: 1 }, { input: { a: [1, 2] }, y: 2 })).toEqual({
    same: [],
    changed: [
      { path: ['input', 'a'], before: [1], after: [1, 2] },
      { path: ['y'], after: 2 },
      { path: ['x'], before: 1 },
    ],
  });
  expect(compareArgs('a', 'a')).toEqual({ same: [[]], changed: [] });
});

test('[LESS2] an empty member is a difference, and so is one that only names a request elsewhere', () => {
  expect(compareArgs({ a: 1 }, { a: 1, b: {} })).toEqual({ same: [['a']], changed: [{ path: ['b'], after: {} }] });
  expect(compareArgs({ b: {} }, { b: { c: 1 } }).changed).toEqual([
    { path: ['b', 'c'], after: 1 },
    { path: ['b'], before: {} },
  ]);
  expect(compareArgs({}, null).changed).toHaveLength(1);
  expect(compareArgs({}, {}).changed).toEqual([]);
  const asked = (id: string, more: object = {}) => ({ tool_name: 'Bash', tool_use_id: id, input: { a: 1, ...more } });
  expect(compareArgs(asked('1'), asked('2')).changed).toEqual([]);
  expect(compareArgs(asked('1', { tool_use_id: 'x' }), asked('1', { tool_use_id: 'y' })).changed).toHaveLength(1);
  expect(compareArgs({ tool_use_id: 'x' }, { tool_use_id: 'y' }).changed).toHaveLength(1);
});

let seq = 0;
const all = (...asked: { tool?: string; args: object; action?: string }[]): [Items, InteractionItem] => {
  const items = new Map<string, unknown>();
  let last: unknown;
  for (const { tool = 'run', args, action } of asked) {
    seq += 2;
    const id = `c${seq}`;
    items.set(`tool:${id}`, { kind: 'tool', call: { seq, payload: { toolCallId: id, toolName: tool, args } } });
    last = {
      kind: 'interaction',
      request: {
        seq: seq + 1,
        payload: { toolCallId: id, toolName: tool, interactionType: 'approval', source: { kind: 'tool', name: tool } },
      },
      ...(action && { response: { seq: seq + 1, payload: { action } } }),
    };
    items.set(`interaction:${id}.1`, last);
  }
  return [items as Items, last as InteractionItem];
};

test('[LESS2] a prompt is compared with the last answered one of its kind', () => {
  const [items, asked] = all(
    { args: { command: 'a' }, action: 'approve' },
    { args: { command: 'b', cwd: 'x' }, action: 'deny' },
    { tool: 'other', args: { command: 'c' }, action: 'approve' },
    { args: { command: 'c' } },
    { args: { command: 'b' } },
  );
  const difference = findDifference(items, asked);
  expect(difference).toEqual({ wasAllowed: false, same: [['command']], changed: [{ path: ['cwd'], before: 'x' }] });
  expect(sizeOfDifference(difference)).toBe(0.5);
});

test('[LESS2] it is compared also with one that was asked after it and answered before', () => {
  const [items] = all({ args: { command: 'a' } }, { args: { command: 'b' }, action: 'approve' });
  const first = [...items.values()].find((item) => item.kind === 'interaction') as InteractionItem;
  expect(findDifference(items, first)).toMatchObject({ wasAllowed: true, changed: [{ before: 'b', after: 'a' }] });
});

test('[LESS2] the tools of a program that asks for leave are kinds of their own, and the first of a kind differs most', () => {
  const bash = { tool_name: 'Bash', input: { command: 'a' } };
  const read = { tool_name: 'Read', input: { file_path: 'a' } };
  const [items, asked] = all({ args: bash, action: 'approve' }, { args: read });
  expect(findDifference(items, asked)).toBeUndefined();
  expect(sizeOfDifference(undefined)).toBe(2);
  const [more, again] = all({ args: bash, action: 'approve' }, { args: { ...bash, tool_use_id: '2' } });
  expect(sizeOfDifference(findDifference(more, again))).toBe(0);
});
