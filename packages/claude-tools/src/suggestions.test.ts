import { expect, test } from 'vitest';
import { offerSuggestions, readChosen } from './suggestions.ts';

const addRule = (ruleContent: string | undefined, destination = 'localSettings') => ({
  type: 'addRules',
  rules: [{ toolName: 'Bash', ...(ruleContent !== undefined && { ruleContent }) }],
  behavior: 'allow',
  destination,
});

test('[APR7, ASK7] a suggestion becomes a rule in the words of Claude Code, for its session and for where it is stored', () => {
  const suggestions = [addRule('git tag *'), { type: 'setMode', mode: 'acceptEdits', destination: 'session' }];
  expect(offerSuggestions(suggestions)).toMatchObject([
    { id: 'session-1', label: 'what Claude Code’s rule `Bash(git tag *)` covers', scopes: ['session'] },
    {
      id: 'always-1',
      label: 'what Claude Code’s rule `Bash(git tag *)` covers, kept in the local settings of the project',
      scopes: ['always'],
      keptByCaller: true,
    },
    { id: 'session-2', label: 'all that Claude Code’s mode `acceptEdits` covers', scopes: ['session'] },
  ]);
  expect(readChosen(suggestions, 'session-1')).toEqual([{ ...suggestions[0], destination: 'session' }]);
  expect(readChosen(suggestions, 'always-1')).toEqual([suggestions[0]]);
  expect(readChosen(suggestions, 'session-2')).toEqual([suggestions[1]]);
  for (const id of ['always-2', 'session-3', undefined]) expect(readChosen(suggestions, id)).toBeUndefined();
});

test('[APR7, ASK7] the label lists all names', () => {
  const rules = [{ toolName: 'WebSearch' }, { toolName: 'Read', ruleContent: '//etc/**' }];
  expect(
    offerSuggestions([
      { ...addRule('x', 'session'), rules },
      { type: 'addDirectories', directories: ['/a', '/b'], destination: 'userSettings' },
    ]).map(({ label }) => label),
  ).toEqual([
    'what Claude Code’s rules `WebSearch` and `Read(//etc/**)` cover',
    'Claude Code to work in `/a` and `/b`, too',
    'Claude Code to work in `/a` and `/b`, too, kept in the settings of its user, for all projects',
  ]);
});

test.each<[string, unknown]>([
  ['a denial', { ...addRule('x'), behavior: 'deny' }],
  ['a place that has no words', addRule('x', 'cliArg')],
  ['a mode that asks nobody', { type: 'setMode', mode: 'bypassPermissions', destination: 'session' }],
  ['a member that has no words', { ...addRule('x'), extra: true }],
  ['no rule', { ...addRule('x'), rules: [] }],
  ['a quotation mark in a name', addRule('x` of nothing, `y')],
  ['a line break in a name', addRule('x\u2028y')],
  ['a hidden character in a name', addRule('x\u202ey')],
  ['a name that nobody reads', addRule('x'.repeat(300))],
  ['something else', 'Bash(git *)'],
])('[APR7, ASK7] nothing is offered for %s', (_, suggestion) => {
  expect(offerSuggestions([suggestion])).toEqual([]);
  expect(readChosen([suggestion], 'session-1')).toBeUndefined();
});

test('[APR7] at most eight are offered', () => {
  const many = Array.from({ length: 9 }, (_, n) => addRule(`a${n}`));
  expect(offerSuggestions(many)).toHaveLength(8);
});
