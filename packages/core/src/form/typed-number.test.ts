import { expect, test } from 'vitest';
import { readNumber } from './typed-number.ts';

test.each([
  ['7', 7],
  [' 5 ', 5],
  ['+5', 5],
  ['-0.5', -0.5],
  ['.5', 0.5],
  ['5.', 5],
  ['007', 7],
  ['1e3', 1000],
  ['1E-3', 0.001],
  ['1.234', 1.234], // as JSON writes it
  ['1,5', 1.5],
  ['-1,25', -1.25],
  ['1,2345', 1.2345],
  [',500', 0.5],
  ['0,125', 0.125],
  ['１２．５', 12.5],
  ['−4', -4],
  ['٣٤', 34],
  ['٣٫٥', 3.5],
  ['۱۲', 12],
  ['१०', 10],
  ['\u200f-5\u00a0', -5],
])('[INT16] %j is the number %d', (typed, number) => {
  expect(readNumber(typed)).toBe(number);
});

test.each([
  '',
  '-',
  '1e',
  '1,234', // ambiguous: a separator of thousands or a decimal comma
  '12,345',
  '1.234,5',
  '1,234.5',
  '1,234,567',
  '1.234.567',
  '1 234',
  "1'234",
  '1,5e3',
  '0x10',
  '0b1',
  '1_000',
  'Infinity',
  'NaN',
  '1e999',
  '5 kg',
  '٣٬٤٥٦',
  '½',
  '10²',
])('[INT16] %j is not read as a number', (typed) => {
  expect(readNumber(typed)).toBe(typed.trim());
});
