import { expect, test } from 'vitest';
import { maxReviewReason } from '../prompt/review.ts';
import { readReviewResult } from './reviewer.ts';

test.each([
  ['pass', 'It only lists files.'],
  ['ask', 'It deletes a file.'],
])('[LESS3] a verdict %s with a reason is read, as a copy', (verdict, reason) => {
  const given = { verdict, reason };
  const read = readReviewResult(given);
  expect(read).toEqual(given);
  expect(read).not.toBe(given);
});

test.each([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'pass'],
  ['true', true],
  ['a list', [{ verdict: 'pass', reason: 'fine' }]],
  ['no reason', { verdict: 'pass' }],
  ['an empty reason', { verdict: 'pass', reason: '' }],
  ['an invisible reason', { verdict: 'pass', reason: '\u200b \u2060' }],
  ['a reason that is not a text', { verdict: 'pass', reason: ['fine'] }],
  ['a reason that is too long', { verdict: 'pass', reason: 'x'.repeat(maxReviewReason + 1) }],
  ['no verdict', { reason: 'fine' }],
  ['a denial', { verdict: 'deny', reason: 'no' }],
  ['another spelling', { verdict: 'PASS', reason: 'fine' }],
  ['a space', { verdict: 'pass ', reason: 'fine' }],
  ['an object that reads as pass', { verdict: { toString: () => 'pass' }, reason: 'fine' }],
  ['a list that reads as pass', { verdict: ['pass'], reason: 'fine' }],
  ['a third member', { verdict: 'pass', reason: 'fine', scope: 'always' }],
  ['inherited members', Object.create({ verdict: 'pass', reason: 'fine' })],
])('[LESS3] a result with %s is none', (_, result) => {
  expect(readReviewResult(result)).toBeUndefined();
});
