import { expect, test } from 'vitest';
import { findReview, judgeCall, type Policy } from './policy.ts';
import { defaultSample, isPassed, joinReviews, notReviewed, reviewableRisk, toReviewed } from './review.ts';

const review = { tool: 't', effect: 'review', reviewer: 'guard' } as const satisfies Policy;
const kindOf = (policies: Policy[], { mode = 'default', tool = {}, gated = undefined as never } = {}) =>
  judgeCall({ name: 't', ...tool }, policies, mode, gated).kind;

test.each([
  ['default', 'review'],
  ['acceptEdits', 'review'],
  ['bypassPermissions', 'review'],
  ['of a later release', 'review'],
  ['plan', 'deny'],
])('[LESS3] in mode %s a policy of review gives %s', (mode, kind) => {
  expect(kindOf([review], { mode })).toBe(kind);
});

test.each<[string, Policy[], string]>([
  ['a policy that allows', [{ tool: '*', effect: 'allow' }], 'review'],
  ['a policy that asks', [{ tool: '*', effect: 'ask' }], 'ask'],
  ['a policy that denies', [{ tool: '*', effect: 'deny' }], 'deny'],
  ['two votes', [{ tool: '*', decide: { approve: 2 } }], 'ask'],
  ['one vote', [{ tool: '*', decide: { approve: 1 } }], 'review'],
  ['an audience', [{ tool: '*', audience: { role: 'operator' } }], 'ask'],
  ['visibility', [{ tool: '*', visibility: 'audience' }], 'ask'],
  ['an escalation', [{ tool: '*', escalate: [{ afterMs: 1, audience: {} }] }], 'review'],
  ['another reviewer', [{ tool: '*', effect: 'review', reviewer: 'other' }], 'ask'],
  ['a policy for another tool', [{ tool: 'u', effect: 'ask' }], 'review'],
])('[LESS3] together with %s the strictest counts', (_, more, kind) => {
  for (const policies of [
    [review, ...more],
    [...more, review],
  ])
    expect(kindOf(policies)).toBe(kind);
});

test.each([
  ['allow', 'review'],
  ['ask', 'ask'],
  ['deny', 'deny'],
] as const)('[LESS3] together with the %s of a plugin the strictest counts', (effect, kind) => {
  expect(judgeCall({ name: 't' }, [review], 'default', { effect, plugin: 'gate' }).kind).toBe(kind);
});

test('[LESS3] a changed definition is for a person, a tool that only asks is not reviewed', () => {
  expect(kindOf([review], { tool: { isChanged: true } })).toBe('ask');
  expect(kindOf([review], { tool: { asking: true } })).toBe('tool');
  expect(kindOf([review], { tool: { readOnly: true }, mode: 'plan' })).toBe('review');
});

test('[LESS3] of several policies for one reviewer the strictest members count', () => {
  expect(findReview([review], 't')).toEqual({ reviewer: 'guard', maxRisk: 'low', sample: defaultSample });
  const lenient = { ...review, maxRisk: 'medium', sample: 0, timeoutMs: 500 } as const;
  expect(joinReviews([lenient])).toEqual({ reviewer: 'guard', maxRisk: 'medium', sample: 0, timeoutMs: 500 });
  expect(joinReviews([lenient, { ...review, sample: 0.5, timeoutMs: 100 }])).toEqual({
    reviewer: 'guard',
    maxRisk: 'low',
    sample: 0.5,
    timeoutMs: 100,
  });
  expect(joinReviews([lenient, { ...review, reviewer: 'other' }])).toBeUndefined();
  expect(joinReviews([])).toBeUndefined();
});

test.each([
  ['low', undefined, undefined],
  ['low', 'low', 'low'],
  ['low', 'medium', undefined],
  ['low', 'high', undefined],
  ['medium', undefined, undefined],
  ['medium', 'low', 'low'],
  ['medium', 'medium', 'medium'],
  ['medium', 'high', undefined],
] as const)('[LESS3] up to risk %s, a call of risk %s is reviewed as %s', (maxRisk, risk, expected) => {
  const wanted = { reviewer: 'guard', maxRisk, sample: 0 };
  expect(reviewableRisk(wanted, risk)).toBe(expected);
  if (expected === undefined) expect(isPassed(wanted, notReviewed(wanted, risk), 0.9)).toBe(false);
});

const wanted = { reviewer: 'guard', maxRisk: 'low', sample: 0.05 } as const;
test.each([
  ['pass', 0, false],
  ['pass', 0.049, false],
  ['pass', 0.05, true],
  ['pass', 0.999, true],
  ['ask', 0, false],
  ['ask', 0.999, false],
] as const)('[LESS3] with a sample of 0.05, %s and a lot of %d runs: %s', (verdict, drawn, isRun) => {
  expect(isPassed(wanted, toReviewed(wanted, { verdict, reason: 'r' }), drawn)).toBe(isRun);
});

test('[LESS3] a sample of 0 asks about no pass, one of 1 about all', () => {
  const passed = toReviewed(wanted, { verdict: 'pass', reason: 'r' });
  expect(isPassed({ ...wanted, sample: 0 }, passed, 0)).toBe(true);
  expect(isPassed({ ...wanted, sample: 1 }, passed, 1 - Number.EPSILON)).toBe(false);
});

test('[LESS3] a fault asks', () => {
  const failed = toReviewed(wanted, { fault: 'It failed.' });
  expect(failed).toEqual({ name: 'guard', verdict: 'ask', reason: 'It failed.', cause: 'fault' });
  expect(isPassed(wanted, failed, 0.999)).toBe(false);
});
