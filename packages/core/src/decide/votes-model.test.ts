import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { actor, approvalDraft } from '../../test/support/samples.ts';
import { World } from '../../test/support/world.ts';
import type { InteractionId } from '../basics/id.ts';
import type { ChatEvent } from '../log/event.ts';
import { emptyHead, reduceHead } from '../log/head.ts';
import { mayAnswer, ownerOf, type Principal, personOf } from '../prompt/role.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Persons: some with two tokens, some who are asked only later, the requester of the turn, and a viewer. */
const principals: readonly Principal[] = [
  { id: 'ann', role: 'responder' },
  { id: 'ann-phone', role: 'responder', owner: 'ann' },
  { id: 'bob', role: 'responder' },
  { id: 'cleo', role: 'responder' },
  { id: 'boss', role: 'operator' },
  { id: 'asked-for-it', role: 'operator' },
  { id: 'guest', role: 'viewer' },
];

const moveKinds = [
  'vote',
  'vote',
  'vote',
  'repeat',
  'demote',
  'revoke',
  'escalate',
  'kill',
  'tick',
  'expire',
  'defer',
] as const;

interface Move {
  readonly kind: (typeof moveKinds)[number];
  readonly who: number;
  readonly action: 'approve' | 'deny' | 'cancel';
}

interface Story {
  readonly approve: number;
  readonly deny: number;
  readonly moves: readonly Move[];
}

const stories: fc.Arbitrary<Story> = fc.record({
  approve: fc.integer({ min: 1, max: 3 }),
  deny: fc.integer({ min: 1, max: 3 }),
  moves: fc.array(
    fc.record({
      kind: fc.constantFrom(...moveKinds),
      who: fc.nat(principals.length - 1),
      action: fc.constantFrom('approve', 'approve', 'deny', 'cancel'),
    }),
    { maxLength: 24, size: 'max' },
  ),
});

/** One prompt that people vote on while their roles and tokens change, and what a server would know in addition to the head. */
class Ballot extends World {
  readonly id: InteractionId;
  readonly #demoted = new Set<string>();
  readonly revoked = new Set<string>();
  /** For each voter, whether they were allowed to vote at that moment. */
  readonly mights: boolean[] = [];
  readonly #sent: { readonly who: Principal; readonly answerId: string; readonly action: Move['action'] }[] = [];

  constructor({ approve, deny }: Story) {
    super();
    const from = { ...actor('asked-for-it'), principal: 'asked-for-it' };
    this.accept({ type: 'send', message: { messageId: 'm', text: 'go', origin: 'user', from } });
    this.id = this.ask({
      decide: { approve, deny },
      audience: { principals: ['ann', 'ann-phone', 'bob', 'asked-for-it', 'guest'], exclude: ['requester'] },
      escalate: [
        { afterMs: 1000, audience: { principals: ['cleo', 'asked-for-it'] } },
        { afterMs: 2000, audience: { role: 'operator' } },
      ],
    });
  }

  get prompt() {
    return this.head.prompts.find(({ request }) => request.interactionId === this.id);
  }

  play({ kind, who, action }: Move): void {
    const principal = principals[who] as Principal;
    switch (kind) {
      case 'vote':
        this.#vote(principal, action, this.name('vote'));
        return;
      case 'repeat': {
        const sent = this.#sent[who % Math.max(1, this.#sent.length)];
        if (sent) this.#vote(sent.who, sent.action, sent.answerId);
        return;
      }
      case 'demote':
        this.#demoted.add(principal.id);
        return;
      case 'revoke':
        this.revoked.add(principal.id);
        return;
      case 'escalate':
        this.do({ type: 'escalate', interactionId: this.id, step: 1 + (who % 2) });
        return;
      case 'kill': // only the log survives
        this.head = this.log.reduce(reduceHead, emptyHead);
        return;
      case 'tick':
        this.now += 1000;
        return;
      case 'expire':
        if (this.prompt?.expiresAt) this.now = Math.max(this.now, Date.parse(this.prompt.expiresAt));
        this.do({ type: 'expire', interactionId: this.id, deadline: this.now });
        return;
      case 'defer':
        if (this.prompt?.state === 'expired') this.defer(this.id);
        return;
      default:
        kind satisfies never;
    }
  }

  #vote(principal: Principal, action: Move['action'], answerId: string): void {
    if (this.revoked.has(principal.id)) return; // its connection has ended
    const now: Principal = this.#demoted.has(principal.id) ? { ...principal, role: 'viewer' } : principal;
    const might = this.prompt !== undefined && mayAnswer(now, this.prompt.request);
    const pastVote = this.eventsOf('interaction_vote').find(({ payload }) => payload.answerId === answerId);
    const by = { ...actor(now.id), principal: now.id, ...(now.owner !== undefined && { owner: now.owner }) };
    const { digest } = approvalDraft;
    const before = this.log.length;
    const parts = { principal: now, by, action, answerId, digest, pastVote, revoked: [...this.revoked] };
    this.answer(this.id, parts);
    this.#sent.push({ who: principal, answerId, action });
    const isCounted = this.log
      .slice(before)
      .some(({ type }) => type === 'interaction_vote' || type === 'interaction_response');
    if (isCounted) this.mights.push(might);
  }
}

const personsFor = (votes: readonly ChatEvent<'interaction_vote'>[], revoked: ReadonlySet<string>, side: string) => {
  const last = new Map(votes.map(({ payload }) => [personOf(payload.by), payload]));
  for (const { payload } of votes)
    for (const id of payload.struck ?? []) {
      for (const [person, vote] of last)
        if (vote.by.principal === id && vote.answerId !== payload.answerId) last.delete(person);
    }
  return new Set(
    [...last].flatMap(([person, { action, by }]) => (action === side && !revoked.has(by.principal) ? [person] : [])),
  );
};

test('[TEAM3, TEAM5, INT3] in every case: one settlement, by enough different persons who were allowed to vote, never by the requester', () => {
  let decided = 0;
  fc.assert(
    fc.property(stories, (story) => {
      const ballot = new Ballot(story);
      for (const move of story.moves) {
        ballot.play(move);
        const open = ballot.prompt?.votes ?? [];
        expect(new Set(open.map(({ by }) => personOf(by))).size).toBe(open.length); // one vote per person
      }
      expect(ballot.log.reduce(reduceHead, emptyHead)).toEqual(ballot.head);
      const settlements = ballot.settlementsOf(ballot.id);
      expect(settlements.length).toBeLessThanOrEqual(1);
      expect(ballot.mights.every(Boolean)).toBe(true);
      const voters = [...ballot.eventsOf('interaction_vote'), ...ballot.eventsOf('interaction_response')];
      expect(voters.some(({ payload }) => personOf(payload.by) === 'asked-for-it')).toBe(false);
      const steps = ballot.eventsOf('interaction_escalated').map(({ payload }) => payload.step);
      expect(steps).toEqual([1, 2].slice(0, steps.length));
      const response = ballot.eventsOf('interaction_response')[0];
      if (!response) return;
      decided += 1;
      const { action, by, struck = [] } = response.payload;
      const side = action === 'approve' ? 'approve' : 'deny';
      const votes = ballot.eventsOf('interaction_vote');
      const agreeing = personsFor(votes, new Set(struck), side).add(
        ownerOf({ id: by.principal, owner: by.owner ?? by.principal }),
      );
      expect(agreeing.size).toBeGreaterThanOrEqual(story[side]);
      if (story.approve === 1 && story.deny === 1) expect(votes).toEqual([]); // the first response wins (INT4)
    }),
    { numRuns: 10_000 },
  );
  expect(decided).toBeGreaterThan(1000);
});
