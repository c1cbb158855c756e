import { expect, test } from 'vitest';
import { findEffect, judgeCall, type Policy } from './policy.ts';

test.each([
  ['*', 'run_command', true],
  ['run_*', 'run_command', true],
  ['run_*', 'rerun_command', false],
  ['ru?_command', 'run_command', true],
  ['run', 'run_command', false],
  ['run.command', 'run_command', false],
  ['[a-z]*', 'run_command', false],
  ['RUN_*', 'run_command', false],
  ['r*n*d', 'run_command', true],
  ['**d', 'run_command', true],
  ['run_command*', 'run_command', true],
  ['run_command?', 'run_command', false],
])('[APR3] %s fits %s: %s', (tool, name, isFit) => {
  expect(findEffect([{ tool, effect: 'deny' }], [name])).toBe(isFit ? 'deny' : undefined);
});

test('[SEC6] a glob of many stars is matched quickly, whatever the name', () => {
  const policies: Policy[] = [{ tool: `${'*a'.repeat(30)}b`, effect: 'deny' }];
  expect(findEffect(policies, ['a'.repeat(64)])).toBeUndefined();
  expect(findEffect(policies, [`${'a'.repeat(63)}b`])).toBe('deny');
});

test('[APR3] the strictest of the matching policies wins, whatever their order', () => {
  const policies: Policy[] = [
    { tool: '*', effect: 'allow' },
    { tool: 'run_*', effect: 'ask' },
    { tool: 'run_command', effect: 'deny' },
  ];
  for (const order of [policies, policies.toReversed()]) {
    expect(findEffect(order, ['run_command'])).toBe('deny');
    expect(findEffect(order, ['run_other'])).toBe('ask');
    expect(findEffect(order, ['other'])).toBe('allow');
  }
});

const kinds = ['plain', 'readOnly', 'edits', 'asking'] as const;
test.each([
  ['default', undefined, ['tool', 'tool', 'tool', 'tool']],
  ['acceptEdits', undefined, ['tool', 'tool', 'allow', 'tool']],
  ['plan', undefined, ['deny', 'tool', 'deny', 'tool']],
  ['bypassPermissions', undefined, ['allow', 'allow', 'allow', 'tool']],
  ['of a later release', undefined, ['ask', 'ask', 'ask', 'tool']],
  ['default', 'allow', ['allow', 'allow', 'allow', 'tool']],
  ['plan', 'allow', ['deny', 'allow', 'deny', 'tool']],
  ['bypassPermissions', 'ask', ['ask', 'ask', 'ask', 'tool']],
  ['bypassPermissions', 'deny', ['deny', 'deny', 'deny', 'deny']],
] as const)('[APR3, ASK3] in mode %s, with policy %s', (mode, effect, expected) => {
  const policies = effect ? [{ tool: '*', effect }] : [];
  expect(kinds.map((kind) => judgeCall({ name: 't', [kind]: true }, policies, mode).kind)).toEqual(expected);
});
