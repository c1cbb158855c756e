import { expect, test } from 'vitest';
import { type Field, listChoices } from './field.ts';

const options = [
  { value: 'a', label: 'Apple' },
  { value: 'b', label: 'Pear' },
];
const radio: Field = { id: 'fruit', type: 'radio', label: 'Fruit', options, other: true };

test('[RPL3] an answered choice lists all options, and marks the chosen ones', () => {
  expect(listChoices(radio, 'b')).toEqual([
    { label: 'Apple', isChosen: false },
    { label: 'Pear', isChosen: true },
  ]);
});

test('[RPL3] several choices, and what a person wrote instead, come last', () => {
  const field: Field = { ...radio, type: 'multiselect' };
  expect(listChoices(field, ['a', { other: 'Fig' }])).toEqual([
    { label: 'Apple', isChosen: true },
    { label: 'Pear', isChosen: false },
    { label: 'Fig', isChosen: true },
  ]);
  expect(listChoices(radio, { other: 'Fig' }).filter(({ isChosen }) => isChosen)).toEqual([
    { label: 'Fig', isChosen: true },
  ]);
});

test('[RPL3] other fields and unanswered choices have no list', () => {
  expect(listChoices({ id: 'name', type: 'text', label: 'Name' }, 'a')).toEqual([]);
  for (const value of [undefined, '', []]) expect(listChoices(radio, value)).toEqual([]);
});
