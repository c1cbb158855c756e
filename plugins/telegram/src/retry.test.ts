import { expect, test } from 'vitest';
import { delayAfter } from './retry.ts';

/** Returns the seconds for which an update is tried at most, in a thousand tries. */
function patienceFor(code: unknown): number {
  let seconds = 0;
  for (let tries = 1; tries < 1000; tries += 1) {
    const delay = delayAfter(code, tries);
    if (delay === undefined) return seconds;
    seconds += delay;
  }
  return Number.POSITIVE_INFINITY;
}

test('[CHAT4, DUR8] what could not be stored is tried for ever, and nothing else blocks the bot for long', () => {
  expect(patienceFor('storage_failed')).toBe(Number.POSITIVE_INFINITY);
  expect(patienceFor('retry_later')).toBe(31.5);
  expect(patienceFor('internal')).toBe(7.5);
  expect(patienceFor(undefined)).toBe(7.5);
});
