import { expect, test } from 'vitest';
import * as z from 'zod';
import { matches } from '../../test/support/samples.ts';
import { findFormFaults } from './form-faults.ts';

z.config(z.locales.en()); // as in the server, which makes its own schemas

const form = (...fields: object[]) => ({ type: 'form', fields });
const choice = { id: 'a', type: 'radio', options: [{ value: 'x', label: 'X' }] };

test('[PLG8] a valid form has no errors', () => {
  const dependent = { id: 'b', type: 'text', when: { field: 'a', equals: 'x' }, minLength: 2, defaultValue: 'ab' };
  expect(findFormFaults(form(choice, dependent), matches)).toEqual([]);
});

test.each<[unknown, RegExp]>([
  [undefined, /expected object/],
  [{ fields: [] }, /^type: /],
  [form({ id: 'a', type: 'folder' }), /^fields\.0\.type: /],
  [form({ id: 'a', type: 'text', requierd: true }), /"fields\.0\.requierd".*"required"/],
  [form({ id: 'a', type: 'text' }, { id: 'a', type: 'text' }), /is listed twice/],
  [form({ id: 'a', type: 'checkbox', min: 1 }), /^fields\.0\.min: a field of type "checkbox" has none$/],
  [form({ id: 'a', type: 'number', min: 3, max: 2 }), /^fields\.0\.min: 3 is above max/],
  [form({ id: 'a', type: 'date', min: 'soon' }), /^fields\.0\.min: is a value of the field/],
  [form({ id: 'a', type: 'text', minLength: 3, maxLength: 2 }), /so no text fits/],
  [form({ ...choice, defaultValue: 'y' }), /^fields\.0\.defaultValue: does not fit its field/],
  [form(choice, { id: 'b', type: 'text', when: { field: 'a', equals: 'y' } }), /"y" is not a value of "a"/],
  [
    form({ ...choice, type: 'multiselect' }, { id: 'b', type: 'text', when: { field: 'a', equals: 'y' } }),
    /"y" is not a value of "a"/,
  ],
])('[PLG8] %j is refused with path and reason', (handed, words) => {
  const faults = findFormFaults(handed, matches);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(words);
});
