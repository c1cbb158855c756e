import { expect, test } from 'vitest';
import { inputDraft } from '../../test/support/samples.ts';
import { World } from '../../test/support/world.ts';
import { wireErrors } from '../basics/error.ts';
import type { FormValues } from '../form/field.ts';

const gone = 'A file of this is not here any more: choose it again.';

/** Answers a form with one field, and returns why that was refused. */
function refusalOf(field: string, input: FormValues) {
  const world = new World();
  const id = world.ask({
    ...inputDraft,
    inputSchema: { type: 'form', fields: [{ id: field, type: 'text', required: true }] },
  });
  const decision = world.answer(id, { action: 'submit', input, files: [{ fileId: 'gone' }] });
  const { message, details } = decision.kind === 'refused' ? decision.refusal : {};
  return { message, details };
}

test('[REV6] what is wrong with attached files is said, not that values of the form do not fit', () => {
  expect(refusalOf('city', { city: 'Bern' })).toEqual({ message: gone, details: { fieldErrors: { files: gone } } });
});

test('[REV6] it is not taken for the fault of a field "files"', () => {
  expect(refusalOf('files', { files: 'two' })).toEqual({ message: gone, details: { fieldErrors: { '': gone } } });
  const details = { fieldErrors: { files: 'Required.' } };
  expect(refusalOf('files', {})).toEqual({ message: wireErrors.invalid, details });
});
