import type { Field } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { stepNumber } from './number-step.ts';

const age: Field = { id: 'age', type: 'number', min: 1, max: 10 };

test.each<[Field, string, 1 | -1, string]>([
  [age, '3', 1, '4'],
  [age, '3', -1, '2'],
  [age, '10', 1, '10'],
  [age, '1', -1, '1'],
  [age, '', 1, '1'],
  [{ id: 'it', type: 'number', step: 0.1 }, '0,2', 1, '0.3'],
  [{ id: 'it', type: 'number' }, '', -1, '0'],
  [age, 'three', 1, 'three'],
])('[WEB5] %# an arrow key changes a number by one step, within its bounds', (field, text, direction, stepped) => {
  expect(stepNumber(field, text, direction)).toBe(stepped);
});
