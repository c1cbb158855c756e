import { expect, test } from 'vitest';
import { digestText, interactionSpecSchema } from './interaction.ts';
import { maxRules, nameRuleGrant, ruleGrantPrefix } from './rule.ts';

const rule = { id: 'a', label: 'everything', key: ['all'], scopes: ['session'] as 'session'[] };
const spec = { type: 'approval', title: 'Wipe it?' } as const;

test('[DUR5, APR7] rules are part of the digest, and absent ones do not change it', () => {
  const bare = digestText('tool', spec);
  expect(digestText('tool', { ...spec, rules: [] })).toBe(bare);
  expect(digestText('tool', { ...spec, rules: [rule] })).not.toBe(bare);
  expect(digestText('tool', { ...spec, rules: [{ ...rule, label: 'something' }] })).not.toBe(
    digestText('tool', { ...spec, rules: [rule] }),
  );
});

test.each([
  ['two of one id', [rule, rule]],
  ['too many', Array.from({ length: maxRules + 1 }, (_, n) => ({ ...rule, id: `${n}` }))],
  ['the scope once', [{ ...rule, scopes: ['once'] }]],
  ['no scope', [{ ...rule, scopes: [] }]],
  ['no words', [{ ...rule, label: '' }]],
  ['a key that is an object', [{ ...rule, key: { all: true } }]],
  ['a key without end', [{ ...rule, key: 'x'.repeat(5000) }]],
])('[APR7] rules with %s are refused', (_, rules) => {
  expect(interactionSpecSchema.safeParse({ ...spec, rules }).success).toBe(false);
});

test('[APR7] only an approval offers rules', () => {
  expect(interactionSpecSchema.safeParse({ ...spec, rules: [rule] }).success).toBe(true);
  const url = { type: 'url', url: 'https://example.org', rules: [rule] };
  expect(interactionSpecSchema.safeParse(url).success).toBe(false);
});

test('[APR1, APR7] the grants of rules have separate keys, by tool', () => {
  expect(nameRuleGrant('a', ['x'])).not.toBe(nameRuleGrant('b', ['x']));
  expect(nameRuleGrant('a', ['x']).startsWith(ruleGrantPrefix)).toBe(true);
});
