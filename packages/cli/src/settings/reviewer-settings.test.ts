import { expect, test } from 'vitest';
import { fillReviewers } from './reviewer-settings.ts';

test('[LESS3, OPS2] a reviewer takes values of its config from the environment, and the names of variables as they are', () => {
  const config = { model: { env: 'OWN' }, env: ['OWN'] };
  expect(fillReviewers([{ reviewer: 'model', config }, { reviewer: 'own' }], { OWN: 'name' })).toEqual([
    { reviewer: 'model', config: { model: 'name', env: ['OWN'] } },
    { reviewer: 'own', config: {} },
  ]);
  expect(() => fillReviewers([{ reviewer: 'model', config }], {})).toThrow('reviewers: the environment has no OWN');
});
