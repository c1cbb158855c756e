import { expect, test } from 'vitest';
import { narrowQuorum } from './quorum.ts';

test('[TEAM3] combining two quorums takes the larger number of approvals, and the smaller number of denials', () => {
  expect(narrowQuorum(undefined, undefined)).toBeUndefined();
  expect(narrowQuorum({ approve: 2 }, undefined)).toEqual({ approve: 2 });
  expect(narrowQuorum({ approve: 2, deny: 3 }, { approve: 3, deny: 2 })).toEqual({ approve: 3, deny: 2 });
  expect(narrowQuorum({ approve: 2 }, { approve: 1, deny: 2 })).toEqual({ approve: 2 });
});
