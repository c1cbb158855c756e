import { expect, test } from 'vitest';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import {
  describeAudience,
  describeCallback,
  describeClosing,
  describeQuorum,
  describeReasons,
  describeResponse,
  describeVotes,
} from './settlement-words.ts';

const url = { interactionType: 'url' } as InteractionRequest;

test.each([
  [undefined, { action: 'approve' }, 'Allowed once'],
  [undefined, { action: 'approve', approvalScope: 'session' }, 'Allowed for this session'],
  [url, { action: 'approve' }, 'Opened'],
  [undefined, { action: 'deny' }, 'Denied'],
  [undefined, { action: 'submit' }, 'Submitted'],
  [undefined, { action: 'cancel' }, 'Cancelled'],
] as const)('[RPL3, RPL5] of %o the answer %o is said as "%s"', (request, answer, words) => {
  expect(describeResponse(request, answer)).toBe(words);
});

test('[EVT5] an unknown value of a later release is shown verbatim', () => {
  expect(describeClosing('timeout')).toBe('Timed out: nobody answered in time');
  expect(describeClosing('moved' as never)).toBe('moved');
  expect(describeCallback('withdrawn')).toBe('is not needed any longer');
  expect(describeResponse(undefined, { action: 'approve', approvalScope: 'toString' as never })).toBe('toString');
});

test('[TEAM3] the quorum and the current votes are described in full', () => {
  const two = { decide: { approve: 2, deny: 2 } };
  expect(describeQuorum({})).toBe('1 approval or 1 denial');
  expect(describeQuorum(two)).toBe('2 approvals or 2 denials');
  expect(describeVotes(two, { approve: 1, deny: 0 })).toBe('1 of 2 approvals');
  expect(describeVotes(two, { approve: 1, deny: 1 })).toBe('1 of 2 approvals, 1 of 2 denials');
  expect(describeVotes(two, { approve: 1, deny: 0 }, 'approve')).toBe('1 of 2 approvals: you approved');
  expect(describeVotes(two, { approve: 0, deny: 1 }, 'deny')).toBe('0 of 2 approvals, 1 of 2 denials: you denied');
});

test('[TEAM1, TEAM5] the audience and the required reasons are described in full', () => {
  expect(describeReasons(['approve', 'deny'])).toBe('a yes and a no');
  expect(describeAudience({ principals: ['Ann', 'Bob'] })).toBe('Ann, Bob');
  expect(describeAudience({ role: 'operator' })).toBe('operators');
  expect(describeAudience({ roles: ['operator'] })).toBe('operators');
  expect(describeAudience({})).toBe('everybody who answers');
});
