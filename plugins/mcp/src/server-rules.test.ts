import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coversTool, suggestForTool } from './server-rules.ts';

const called = '“Pay” of the MCP server “bank”';
const members = new Set(['a', 'b', 'to', 'amount', 'constructor', 'c d']);
const current = new Map([['bank__pay', { revision: 'r2', called, members }]]);
const rule = (key: unknown) => ({ id: 'tool', label: 'l', key: key as never });
const calls = (...all: object[]) => all.map((args) => ({ toolName: 'bank__pay', args }));

test('[APR7] a rule covers the tool as it is defined now, and no other', () => {
  expect(coversTool(rule(['tool', 'bank__pay', 'r2']), {}, current)).toBe(true);
  for (const key of [
    ['tool', 'bank__pay', 'r1'],
    ['tool', 'bank__gone', undefined],
    ['tool', 'bank__gone'],
    'tool',
    ['call', 'bank__pay', 'r2'],
    ['tool', 'bank__pay', 'r2', 1],
    ['members', 'bank__pay', 'r2'],
    ['members', 'bank__pay', 'r2', {}],
    ['members', 'bank__pay', 'r1', { a: 1 }],
  ])
    expect(coversTool(rule(key), { a: 1 }, current)).toBe(false);
});

test('[LESS2] what all calls share is fixed first, then any arguments are suggested', () => {
  const suggested = suggestForTool(calls({ to: 'Ann', amount: 1 }, { to: 'Ann', amount: 2 }), current);
  expect(suggested.map(({ label }) => label)).toEqual([
    `${called} with "to": "Ann" and any other arguments, as it is described now`,
    `${called} with any arguments, as it is described now`,
  ]);
  const [narrow] = suggested;
  expect(coversTool(rule(narrow?.key), { to: 'Ann', amount: 3 }, current)).toBe(true);
  for (const args of [{ to: 'Bob' }, {}, { to: ['Ann'] }, { To: 'Ann' }])
    expect(coversTool(rule(narrow?.key), args as never, current)).toBe(false);
});

test('[LESS2] an argument that the tool does not declare makes no rule look narrow', () => {
  const decoy = { 'to "Ann" and amount': 1, note: 'x' };
  const suggested = suggestForTool(calls({ ...decoy, amount: 1 }, { ...decoy, amount: 2 }), current);
  expect(suggested.map(({ id }) => id)).toEqual(['tool']);
  expect(coversTool(rule(['members', 'bank__pay', 'r2', { note: 'x' }]), { note: 'x' }, current)).toBe(false);
});

test('[LESS2] nothing is suggested for a tool that is gone, nor for calls of two tools', () => {
  expect(suggestForTool([{ toolName: 'bank__gone', args: {} }], current)).toEqual([]);
  expect(suggestForTool([...calls({}), { toolName: 'bank__other', args: {} }], current)).toEqual([]);
});

test('[LESS2] every suggested rule covers every call that it was made from', () => {
  const value = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string()),
  );
  const args = fc.dictionary(fc.constantFrom('a', 'b', 'constructor', 'c d'), value);
  fc.assert(
    fc.property(fc.array(args, { minLength: 1, maxLength: 6 }), (all) => {
      for (const { key } of suggestForTool(calls(...all), current))
        for (const each of all) expect(coversTool(rule(key), each as never, current)).toBe(true);
    }),
  );
});
