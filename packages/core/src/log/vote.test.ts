import { expect, test } from 'vitest';
import { ownVoteOf, type Vote } from './vote.ts';

const by = { clientId: 'tab', connectionId: 'c', principal: 'p-ann', name: 'Ann', transport: 'ws' } as const;
const vote: Vote = {
  ...{ answerId: 'a', action: 'deny', by, votes: { approve: 0, deny: 1 } },
  ...{ seq: 3, timestamp: '2026-03-02T10:00:00.000Z', changes: 0 },
};

test('[TEAM3] a reader sees their own vote, and no other', () => {
  expect(ownVoteOf([vote], 'p-ann')).toEqual({ ownVote: 'deny' });
  expect(ownVoteOf([vote], 'p-bob')).toEqual({});
});
