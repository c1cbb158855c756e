import { expect, test } from 'vitest';
import { checkOutcome } from './outcome.ts';

test.each([
  [{ complete: { ok: true } }],
  [{ complete: undefined }],
  [{ reprompt: { prompt: 'Again?' } }],
  [{ pending: { message: 'Later.' } }],
  [{ pending: { message: 'Later.', queued: true } }],
])('[INT8] %o is an outcome', (outcome) => {
  expect(checkOutcome(outcome)).toEqual(outcome);
});

test.each([
  [undefined, 'This one returned nothing.'],
  ['done', 'A hook must return one of'],
  [{}, 'A hook must return one of'],
  [{ complete: 1, reprompt: {} }, 'A hook must return one of'],
  [{ compleet: 1 }, 'Did you mean "complete"'],
  [{ reprompt: true }, 'A hook must return one of'],
  [{ pending: {} }, 'pending.message must be a text.'],
  [{ pending: { message: 'Later.', queued: 'yes' } }, 'pending.queued must be true or false.'],
  [{ pending: { message: 'Later.', mesage: 'x' } }, 'no "pending.mesage". Did you mean "message"'],
])('[PLG8] %o is not an outcome, and the error has the reason', (outcome, words) => {
  expect(() => checkOutcome(outcome)).toThrow(words);
});
