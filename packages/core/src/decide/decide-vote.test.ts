import { describe, expect, test } from 'vitest';
import { actor, approvalDraft, type DraftPart } from '../../test/support/samples.ts';
import { codeOf, detailsOf, World } from '../../test/support/world.ts';
import type { Action } from '../prompt/interaction.ts';
import type { Principal } from '../prompt/role.ts';
import type { AnswerCommand } from './command.ts';

const ann: Principal = { id: 'ann', role: 'responder' };
const annsPhone: Principal = { id: 'ann-phone', role: 'responder', owner: 'ann' };
const bob: Principal = { id: 'bob', role: 'responder' };
const cleo: Principal = { id: 'cleo', role: 'responder' };

const actorOf = ({ id, owner }: Principal) => ({ ...actor(id), principal: id, ...(owner !== undefined && { owner }) });

/** An approval that this many people must give, and how people vote on it. */
class Ballot extends World {
  readonly id: string;

  constructor(approve: number, draft: DraftPart = {}, deny = 1) {
    super();
    this.id = this.ask({ decide: { approve, deny }, ...draft });
  }

  vote(
    principal: Principal,
    action: Action = 'approve',
    parts: Partial<AnswerCommand> & { reason?: string | undefined } = {},
  ) {
    const { digest } = approvalDraft;
    const pastVote = this.eventsOf('interaction_vote').find(({ payload }) => payload.answerId === parts.answerId);
    return this.answer(this.id, { principal, by: actorOf(principal), action, digest, pastVote, ...parts });
  }

  get votes() {
    return this.eventsOf('interaction_vote').map(({ payload }) => payload);
  }

  get decision() {
    return this.settlementsOf(this.id);
  }
}

describe('[TEAM3] votes decide', () => {
  test('the last vote needed settles the prompt, with the tally', () => {
    const ballot = new Ballot(2);
    expect(codeOf(ballot.vote(ann))).toBe('accepted');
    expect(ballot.votes).toMatchObject([
      { action: 'approve', by: { principal: 'ann' }, votes: { approve: 1, deny: 0 } },
    ]);
    expect(ballot.decision).toEqual([]);
    expect(ballot.promptOf(ballot.id)).toMatchObject({ state: 'open', votes: [{ action: 'approve' }] });
    ballot.vote(bob);
    expect(ballot.decision).toMatchObject([
      {
        type: 'interaction_response',
        payload: { action: 'approve', by: { principal: 'bob' }, votes: { approve: 2, deny: 0 } },
      },
    ]);
    expect(codeOf(ballot.vote(cleo))).toBe('already_answered');
  });

  test('one denial is enough unless the request says otherwise, whatever others voted', () => {
    const ballot = new Ballot(3);
    ballot.vote(ann);
    ballot.vote(bob, 'deny');
    expect(ballot.decision).toMatchObject([{ payload: { action: 'deny' } }]);
    const patient = new Ballot(1, {}, 2);
    patient.vote(ann, 'deny');
    expect(patient.decision).toEqual([]);
    patient.vote(bob, 'approve');
    expect(patient.decision).toMatchObject([{ payload: { action: 'approve' } }]);
  });

  test('a cancel counts as a denial', () => {
    const ballot = new Ballot(2, {}, 2);
    ballot.vote(ann, 'cancel');
    expect(ballot.votes).toMatchObject([{ action: 'deny', votes: { approve: 0, deny: 1 } }]);
    ballot.vote(bob, 'cancel');
    expect(ballot.decision).toMatchObject([{ payload: { action: 'deny' } }]);
  });

  test('two tokens of one owner have one vote, which may be changed', () => {
    const ballot = new Ballot(2, {}, 2);
    ballot.vote(ann);
    expect(codeOf(ballot.vote(annsPhone))).toBe('accepted');
    expect(ballot.votes.map(({ votes }) => votes)).toEqual([
      { approve: 1, deny: 0 },
      { approve: 1, deny: 0 },
    ]);
    ballot.vote(ann, 'deny');
    expect(ballot.votes.at(-1)?.votes).toEqual({ approve: 0, deny: 1 });
    ballot.vote(bob);
    ballot.vote(cleo);
    expect(ballot.decision).toMatchObject([{ payload: { action: 'approve', votes: { approve: 2, deny: 1 } } }]);
  });

  test('a vote can be changed twenty times at most', () => {
    const ballot = new Ballot(2, {}, 2);
    for (let n = 0; n <= 20; n += 1) expect(codeOf(ballot.vote(ann, n % 2 ? 'deny' : 'approve'))).toBe('accepted');
    expect(codeOf(ballot.vote(ann, 'deny'))).toBe('forbidden');
    expect(codeOf(ballot.vote(bob))).toBe('accepted');
    expect(ballot.decision).toHaveLength(1);
  });
});

describe('[TEAM3, FRM6] a repeated answerId', () => {
  test('gets the stored reply, even after its vote was changed and after the decision', () => {
    const ballot = new Ballot(2, {}, 2);
    ballot.vote(ann, 'approve', { answerId: 'first' });
    const stored = { kind: 'repeated', seq: ballot.log.length, votes: { approve: 1, deny: 0 } };
    expect(ballot.vote(ann, 'approve', { answerId: 'first' })).toEqual(stored);
    ballot.vote(ann, 'deny');
    expect(ballot.vote(ann, 'approve', { answerId: 'first' })).toEqual(stored);
    ballot.vote(bob, 'deny', { answerId: 'last' });
    expect(ballot.vote(ann, 'approve', { answerId: 'first' })).toEqual(stored);
    expect(ballot.vote(bob, 'deny', { answerId: 'last' })).toMatchObject({ kind: 'repeated', seq: ballot.log.length });
  });

  test.each<[string, Principal, Action, string | undefined]>([
    ['with another action', ann, 'deny', undefined],
    ['with another reason', ann, 'approve', 'because'],
    ['of another person, whose vote would be lost', bob, 'approve', undefined],
  ])('%s is a conflict', (_, principal, action, reason) => {
    const ballot = new Ballot(3, {}, 3);
    ballot.vote(ann, 'approve', { answerId: 'first' });
    expect(codeOf(ballot.vote(principal, action, { answerId: 'first', reason }))).toBe('idempotency_conflict');
  });
});

describe('[TEAM3] if several must agree', () => {
  test.each([
    ['a wider scope', { approvalScope: 'session' }, 'approvalScope'],
    ['an edit', { editedArgs: { n: 2 } }, 'editedArgs'],
    ['no digest', { digest: undefined }, 'digest'],
  ])('%s is invalid', (_, parts, field) => {
    const ballot = new Ballot(2, { editable: true });
    const decision = ballot.vote(ann, 'approve', parts as never);
    expect(codeOf(decision)).toBe('invalid');
    expect(detailsOf(decision)).toMatchObject({ fieldErrors: { [field]: expect.any(String) } });
  });

  test('a rule is invalid', () => {
    const rules = [{ id: 'r', label: 'more', key: 'k', scopes: ['session' as const] }];
    const ballot = new Ballot(2, { rules });
    const answer = { action: 'approve', ruleId: 'r', approvalScope: 'session' } as const;
    const command = ballot.answerCommand(ballot.id, { digest: approvalDraft.digest });
    expect(detailsOf(ballot.do({ ...command, answer }))).toMatchObject({ fieldErrors: { ruleId: expect.any(String) } });
  });

  test('no grant can be used as a vote', () => {
    const ballot = new Ballot(2, { grantKey: 'key' });
    expect(codeOf(ballot.vote(ann, 'approve', { grantId: 'g', answerId: 'grant:g' }))).toBe('forbidden');
    expect(ballot.votes).toEqual([]);
  });

  test('a vote whose token was revoked is struck when the next one is counted', () => {
    const ballot = new Ballot(2);
    ballot.vote(ann);
    ballot.vote(bob, 'approve', { revoked: ['ann'] });
    expect(ballot.decision).toEqual([]);
    expect(ballot.votes.at(-1)).toMatchObject({ votes: { approve: 1, deny: 0 }, struck: ['ann'] });
    expect(ballot.promptOf(ballot.id).votes?.map(({ by }) => by.principal)).toEqual(['bob']);
    const decision = ballot.vote(cleo, 'approve', { revoked: ['ann'] });
    expect(decision).toMatchObject({ kind: 'accepted', voters: [{ id: 'bob' }] });
    expect(ballot.decision).toMatchObject([{ payload: { votes: { approve: 2, deny: 0 } } }]);
  });

  test('the right to vote is checked at the vote: people who are not asked, and requesters, have none', () => {
    const ballot = new Ballot(2, { audience: { principals: ['ann', 'bob'] } });
    expect(codeOf(ballot.vote(cleo))).toBe('forbidden');
    const world = new World();
    world.accept({ type: 'send', message: { messageId: 'm', text: 'go', origin: 'user', from: actorOf(ann) } });
    const id = world.ask({ decide: { approve: 2 }, audience: { exclude: ['requester'] } });
    const of = (principal: Principal) => ({ principal, by: actorOf(principal), digest: approvalDraft.digest });
    expect(codeOf(world.answer(id, of(annsPhone)))).toBe('forbidden');
    expect(codeOf(world.answer(id, of(bob)))).toBe('accepted');
  });

  test('[INT8] a reprompt starts without votes', () => {
    const ballot = new Ballot(2);
    ballot.vote(ann);
    const last = ballot.requestOf(ballot.id);
    if (!last) throw new Error('not asked');
    ballot.expire(ballot.id);
    const { toolCallId } = last;
    ballot.accept({ type: 'reprompt', last, draft: { ...approvalDraft, toolCallId, decide: { approve: 2 } } });
    expect(ballot.head.prompts).toHaveLength(1);
    expect(ballot.head.prompts[0]).not.toHaveProperty('votes');
  });
});
