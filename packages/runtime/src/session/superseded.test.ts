import { RefusalError, StoreError } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { toRefusal } from './storage-refusal.ts';
import { levelOf } from './superseded.ts';

test.each([
  [new StoreError('conflict', 'overtaken'), 'debug'],
  [new StoreError('unauthorised', 'revoked'), 'warn'],
  [new StoreError('full', 'no space'), 'error'],
  [new RefusalError('internal'), 'error'],
] as const)('[OPS4] a failed append with %s is logged at level %s', (error, level) => {
  expect(levelOf(toRefusal(error))).toBe(level);
});
