import { expect, test } from 'vitest';
import type { Field } from './field.ts';
import { readTypedValue } from './typed-value.ts';

const options = [
  { value: 'r', label: 'Red' },
  { value: 'g', label: 'Green' },
];
const field = (part: Partial<Field> & Pick<Field, 'type'>): Field => ({ id: 'a', ...part });

test('[CHAT3] what a person types becomes the value that the field means', () => {
  const read = (part: Parameters<typeof field>[0], text: string) => readTypedValue(field(part), text);
  expect(read({ type: 'number' }, ' 12,5 ')).toBe(12.5);
  expect(read({ type: 'number' }, 'a dozen')).toBe('a dozen'); // refused with the answer
  expect(['yes', 'N', 'maybe'].map((text) => read({ type: 'checkbox' }, text))).toEqual([true, false, undefined]);
  const colour = { type: 'radio', options } as const;
  expect(['green', 'r', '2', '3', 'blue'].map((text) => read(colour, text))).toEqual([
    'g',
    'r',
    'g',
    undefined,
    undefined,
  ]);
  expect(read({ ...colour, other: true }, 'blue')).toEqual({ other: 'blue' });
  expect(read({ type: 'multiselect', options }, 'red, Green, 1')).toEqual(['r', 'g']);
  expect(read({ type: 'multiselect', options }, 'red, blue')).toBeUndefined();
  expect(read({ type: 'date' }, '2026-03-01')).toBe('2026-03-01');
  expect(read({ type: 'secret' }, 'hunter2')).toBeUndefined();
});
