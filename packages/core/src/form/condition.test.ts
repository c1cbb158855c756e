import { describe, expect, test } from 'vitest';
import { matches } from '../../test/support/samples.ts';
import type { Json } from '../basics/json.ts';
import { type Condition, type Field, type FormSchema, findVisibleFields, formSchema } from './field.ts';
import { checkValues } from './field-check.ts';
import { findFormFaults } from './form-faults.ts';

const options = ['a', 'b', 'c'].map((value) => ({ value, label: value }));
const earlier = (type: Field['type']): Field => ({ id: 'first', type, ...(type === 'radio' && { options }) });
const formWith = (type: Field['type'], when: Omit<Condition, 'field'>) => ({
  type: 'form' as const,
  fields: [earlier(type), { id: 'second', type: 'text' as const, when: { field: 'first', ...when } }],
});
const isShown = (form: FormSchema, first?: Json) =>
  findVisibleFields(form, first === undefined ? {} : { first }).some(({ id }) => id === 'second');

describe('[PLG13] a condition', () => {
  test.each<[string, Field['type'], Omit<Condition, 'field'>, Json[], (Json | undefined)[]]>([
    ['one value', 'radio', { equals: 'a' }, ['a'], ['b', undefined]],
    ['not one value', 'radio', { equals: 'a', not: true }, ['b', undefined] as Json[], ['a']],
    ['a list', 'radio', { in: ['a', 'b'] }, ['a', 'b'], ['c', undefined]],
    ['not a list', 'radio', { in: ['a', 'b'], not: true }, ['c'], ['a', 'b']],
    ['a range', 'number', { min: 1, max: 3 }, [1, 2.5, 3], [0.5, 4, undefined, '2']],
    ['from', 'number', { min: 1 }, [1, 100], [0]],
    ['outside of a range', 'number', { max: 3, not: true }, [4], [3]],
    ['dates', 'date', { min: '2026-03-01', max: '2026-03-31' }, ['2026-03-31'], ['2026-04-01', '']],
    [
      'moments of other offsets',
      'datetime',
      { min: '2026-03-01T10:00:00Z' },
      ['2026-03-01T11:30:00+01:00'],
      ['2026-03-01T10:30:00+01:00'],
    ],
  ])('%s', (_, type, when, shown, hidden) => {
    const form = formSchema.parse(formWith(type, when));
    expect(findFormFaults(form, matches)).toEqual([]);
    expect(shown.map((value) => isShown(form, value))).toEqual(shown.map(() => true));
    expect(hidden.map((value) => isShown(form, value))).toEqual(hidden.map(() => false));
  });

  test.each<[string, Field['type'], object, string]>([
    ['none', 'radio', {}, 'needs one of'],
    ['two', 'number', { equals: 1, min: 1 }, 'needs one of'],
    ['a value that is no option', 'radio', { in: ['a', 'z'] }, 'when.in.1: "z" is not a value of "first"'],
    ['a range of choices', 'radio', { min: 1 }, 'has no range'],
    ['a bound that is no value', 'date', { min: 'soon' }, 'when.min'],
    ['a range of nothing', 'number', { min: 3, max: 1 }, '3 is above max, 1'],
    ['another name', 'number', { moreThan: 3 }, 'moreThan'],
  ])('with %s is refused, with its path', (_, type, when, words) => {
    expect(findFormFaults(formWith(type, when), matches).join(' ')).toContain(words);
  });

  test('the author’s own message for an invalid value; a missing value keeps the default message', () => {
    const field: Field = { id: 'pin', type: 'text', required: true, pattern: '\\d{4}', invalidMessage: 'Four digits.' };
    const form: FormSchema = { type: 'form', fields: [field] };
    expect(checkValues(form, { pin: 'x' }, matches)).toEqual({ pin: 'Four digits.' });
    expect(checkValues(form, {}, matches)).toEqual({ pin: 'Required.' });
  });
});
