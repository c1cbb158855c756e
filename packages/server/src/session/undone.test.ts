import { RefusalError, StoreError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { toRefusal } from './storage-refusal.ts';
import { levelOf } from './undone.ts';

test.each([
  [new StoreError('conflict', 'overtaken'), 'debug'],
  [new StoreError('unauthorised', 'revoked'), 'warn'],
  [new StoreError('full', 'no space'), 'error'],
  [new RefusalError('internal'), 'error'],
] as const)('[OPS4] of appends that failed the log tells %s at %s', (error, level) => {
  expect(levelOf(toRefusal(error))).toBe(level);
});
