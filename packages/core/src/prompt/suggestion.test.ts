import { expect, test } from 'vitest';
import { findRules, type PastAnswer, type SuggestingPlugin, takesSuggestions } from './suggestion.ts';

interface Args {
  readonly path: string;
}

const folderOf = (args: unknown) => (args as Args).path.split('/')[0];
const rule = (folder: string | undefined, more: object = {}) => ({
  ...{ id: 'folder', label: `all of ${folder}`, key: ['folder', folder], scopes: ['session'] },
  ...more,
});
const plugin: SuggestingPlugin = {
  covers: ({ key }, args) => (key as string[])[1] === folderOf(args),
  suggestRules: (calls) => {
    const [folder, ...others] = [...new Set(calls.map(({ args }) => folderOf(args)))];
    return others.length > 0 ? [] : [rule(folder)];
  },
};

const answer = (path: string, isAllowed = true): PastAnswer => ({
  isAllowed,
  shown: { interactionId: path, at: '2026-03-01T09:00:00.000Z', text: path },
  args: () => ({ path }),
});
const find = (past: readonly PastAnswer[], more: object = {}) =>
  findRules({ toolName: 'wipe', plugin, past, suggestAfter: 3, onFault: () => undefined, ...more }).map(
    ({ rule, cases }) => [rule.label, cases.map(({ text }) => text)],
  );
const current = (path: string) => ({ current: () => ({ path }) });
const three = ['a/1', 'a/2', 'a/3'].map((path) => answer(path));

test('[LESS2] a rule is found with its cases, among others that it does not cover', () => {
  const mixed = [answer('b/1'), ...three, answer('c/1'), answer('b/2')];
  expect(find(mixed)).toEqual([['all of a', ['a/1', 'a/2', 'a/3']]]);
  expect(find(mixed, current('a/4'))).toEqual([['all of a', ['a/1', 'a/2', 'a/3']]]);
  expect(find(mixed, current('b/3'))).toEqual([]);
});

test('[LESS2] a rule that does not cover the open prompt is not suggested for it, whatever its plugin suggests', () => {
  const careless = { ...plugin, suggestRules: () => [rule('a'), rule('b', { id: 'other' })] };
  const past = [...three, ...['b/1', 'b/2', 'b/3'].map((path) => answer(path))];
  expect(find(past, { plugin: careless, ...current('a/4') })).toEqual([['all of a', ['a/1', 'a/2', 'a/3']]]);
  expect(find(past, { plugin: careless, ...current('c/1') })).toEqual([]);
});

test('[LESS2] too few approvals suggest nothing, and 0 turns suggestions off', () => {
  expect(find(three.slice(1))).toEqual([]);
  expect(find(three, { suggestAfter: 0 })).toEqual([]);
});

test('[LESS2] only what was allowed after the last denial that the rule covers counts', () => {
  expect(find([...three, answer('a/no', false)])).toEqual([]);
  expect(find([answer('a/0'), answer('a/no', false), ...three])).toEqual([['all of a', ['a/1', 'a/2', 'a/3']]]);
  expect(find([...three, answer('b/no', false)])).toHaveLength(1);
});

test.each<[string, Partial<SuggestingPlugin>]>([
  [
    'covers that throws',
    {
      covers: () => {
        throw new Error('no');
      },
    },
  ],
  ['covers that returns a word', { covers: () => 'yes' }],
  ['covers that leaves out a case', { covers: (_, args) => (args as Args).path !== 'a/2' }],
  [
    'suggestRules that throws',
    {
      suggestRules: () => {
        throw new Error('no');
      },
    },
  ],
  ['suggestRules that returns no list', { suggestRules: () => 'all' }],
  ['a rule without words', { suggestRules: () => [rule('a', { label: '' })] }],
  ['a rule of an unknown scope', { suggestRules: () => [rule('a', { scopes: ['once'] })] }],
  ['a rule that a program keeps', { suggestRules: () => [rule('a', { keptByCaller: true })] }],
])('[LESS2] %s suggests nothing', (_, part) => {
  expect(find(three, { plugin: { ...plugin, ...part } })).toEqual([]);
});

test.each<[string, Partial<SuggestingPlugin>, unknown]>([
  [
    'what covers throws',
    {
      covers: () => {
        throw new Error('no');
      },
    },
    expect.objectContaining({ message: 'no' }),
  ],
  ['rules without words', { suggestRules: () => [rule('a', { label: '' })] }, expect.stringContaining('0.label: ')],
  ['two rules of the same id', { suggestRules: () => [rule('a'), rule('a')] }, ': two rules have the same id'],
])('[LESS2, PLG8] of a plugin, %s: reported to the author', (_, part, fault) => {
  const faults: unknown[] = [];
  find(three, { plugin: { ...plugin, ...part }, onFault: (found: unknown) => faults.push(found) });
  expect(faults[0]).toEqual(fault);
});

test('[LESS2, SEC11] a rule to which many calls lead is sought once', () => {
  const sizes: number[] = [];
  const counting: SuggestingPlugin = {
    ...plugin,
    suggestRules: (calls) => {
      sizes.push(calls.length);
      return plugin.suggestRules(calls);
    },
  };
  expect(find(three, { plugin: counting })).toEqual([['all of a', ['a/1', 'a/2', 'a/3']]]);
  expect(sizes.filter((size) => size > 1)).toHaveLength(1);
});

test('[LESS2] a plugin that changes what it is given changes nothing', () => {
  const careless: SuggestingPlugin = {
    covers: (rule, args) => {
      const isCovered = plugin.covers(rule, args);
      Object.assign(args as object, { path: 'a/changed' });
      Object.assign(rule, { key: ['folder', 'a'] });
      return isCovered;
    },
    suggestRules: (calls) => plugin.suggestRules(calls),
  };
  expect(find([...three, answer('b/1')], { plugin: careless })).toEqual([['all of a', ['a/1', 'a/2', 'a/3']]]);
});

test('[LESS2] at high risk, with several votes and in hidden calls nothing is suggested', () => {
  expect(takesSuggestions({})).toBe(true);
  expect(takesSuggestions({ risk: 'medium', decide: { approve: 1 } })).toBe(true);
  expect(takesSuggestions({ risk: 'high' })).toBe(false);
  expect(takesSuggestions({ decide: { approve: 2 } })).toBe(false);
  expect(takesSuggestions({ visibility: 'audience' })).toBe(false);
});
