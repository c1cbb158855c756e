import type { Field } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { stepNumber } from './number-step.ts';

const age: Field = { id: 'age', type: 'number', min: 1, max: 10 };

test.each<[Field, string, string, string | undefined]>([
  [age, '3', 'ArrowUp', '4'],
  [age, '3', 'ArrowDown', '2'],
  [age, '10', 'ArrowUp', '10'],
  [age, '1', 'ArrowDown', '1'],
  [age, '', 'ArrowUp', '1'],
  [{ id: 'it', type: 'number', step: 0.1 }, '0,2', 'ArrowUp', '0.3'],
  [{ id: 'it', type: 'number' }, '', 'ArrowDown', '0'],
  [age, 'three', 'ArrowUp', undefined],
  [age, '3', 'Home', undefined],
])('[WEB5] %# an arrow goes a step on, within the bounds', (field, text, key, stepped) => {
  expect(stepNumber(field, text, key)).toBe(stepped);
});
