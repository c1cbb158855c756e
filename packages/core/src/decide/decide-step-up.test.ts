import { describe, expect, test } from 'vitest';
import { actor, approvalDraft, inputDraft, operator, requestFrom, urlDraft } from '../../test/support/samples.ts';
import { codeOf, detailsOf, World } from '../../test/support/world.ts';
import { auditOf } from '../log/audit.ts';
import type { ChatEvent } from '../log/event.ts';
import { assertionSchema, type StoredAssertion } from '../prompt/assertion.ts';
import { answerOfResponse, answerOfVote, challengeText, signedAnswer } from '../prompt/challenge.ts';
import { needsStepUp } from '../prompt/step-up.ts';
import { termsOf } from '../prompt/terms.ts';

const assertion: StoredAssertion = {
  ...{ credentialId: 'key-1', publicKey: 'cose', origin: 'https://parley.example' },
  ...{ authenticatorData: 'data', clientDataJSON: 'client', signature: 'sig' },
};
const stepUp = { assertion };

describe('[SIGN2] a prompt that demands a passkey', () => {
  test.each([
    ['an approval', {}, 'approve'],
    ['a form', inputDraft, 'submit'],
    ['an address', urlDraft, 'approve'],
  ] as const)('%s is answered only with a verified assertion, which is stored', (_, draft, action) => {
    const world = new World();
    const id = world.ask({ ...draft, stepUp: true });
    const answer = { action, ...(action === 'submit' && { input: { city: 'Bern', pin: '1234' } }) };
    expect(codeOf(world.answer(id, answer))).toBe('step_up_required');
    expect(codeOf(world.answer(id, { ...answer, stepUp: { fault: 'It was revoked.' } }))).toBe('step_up_required');
    expect(codeOf(world.answer(id, { ...answer, stepUp }))).toBe('accepted');
    expect(world.eventsOf('interaction_response')[0]?.payload.assertion).toEqual(assertion);
  });

  test.each(['deny', 'cancel'] as const)('is refused without one: %s', (action) => {
    const world = new World();
    const id = world.ask({ stepUp: true });
    expect(codeOf(world.answer(id, { action }))).toBe('accepted');
    expect(world.eventsOf('interaction_response')[0]?.payload).not.toHaveProperty('assertion');
  });

  test('says what is missing and where it can be done', () => {
    const world = new World();
    const id = world.ask({ stepUp: true });
    const url = 'https://parley.example/s/1';
    const decision = world.answer(id, { stepUp: { fault: 'The passkey was removed.', url } });
    expect(decision).toMatchObject({ refusal: { message: 'The passkey was removed.' } });
    expect(detailsOf(decision)).toEqual({ url });
    expect(world.answer(id)).toMatchObject({ refusal: { message: expect.stringContaining('passkey') } });
  });

  test('is answered with the same answer again without another assertion', () => {
    const world = new World();
    const id = world.ask({ stepUp: true });
    world.answer(id, { answerId: 'a', stepUp });
    expect(codeOf(world.answer(id, { answerId: 'a' }))).toBe('repeated');
  });

  test('is not answered by a grant, unless a passkey signed the answer that gave the grant', () => {
    const world = new World();
    const id = world.ask({ stepUp: true });
    const byGrant = { answerId: 'grant:g', grantId: 'g' };
    expect(codeOf(world.answer(id, byGrant))).toBe('step_up_required');
    expect(codeOf(world.answer(id, { ...byGrant, isOfSignedGrant: true }))).toBe('accepted');
    expect(world.eventsOf('interaction_response')[0]?.payload).not.toHaveProperty('assertion');
  });

  test('takes an assertion with each vote to approve, and stores it with the vote', () => {
    const world = new World();
    const id = world.ask({ stepUp: true, decide: { approve: 2, deny: 2 } });
    const digest = approvalDraft.digest;
    const by = (name: string) => ({ by: { ...actor(name), principal: name }, principal: { ...operator, id: name } });
    expect(codeOf(world.answer(id, { ...by('ann'), digest }))).toBe('step_up_required');
    expect(codeOf(world.answer(id, { ...by('cy'), digest, action: 'deny' }))).toBe('accepted');
    expect(codeOf(world.answer(id, { ...by('ann'), digest, stepUp }))).toBe('accepted');
    expect(codeOf(world.answer(id, { ...by('bob'), digest }))).toBe('step_up_required');
    expect(codeOf(world.answer(id, { ...by('bob'), digest, stepUp }))).toBe('accepted');
    const [no, yes] = world.eventsOf('interaction_vote');
    expect([no?.payload.assertion, yes?.payload.assertion]).toEqual([undefined, assertion]);
    expect(world.eventsOf('interaction_response')[0]?.payload.assertion).toEqual(assertion);
  });

  test('a prompt that demands none stores none', () => {
    const world = new World();
    const id = world.ask();
    world.answer(id, { stepUp });
    expect(world.eventsOf('interaction_response')[0]?.payload).not.toHaveProperty('assertion');
    expect(needsStepUp({}, 'approve')).toBe(false);
  });

  test('[SEC7] the audit names the passkey', () => {
    const world = new World();
    const id = world.ask({ stepUp: true });
    const before = world.head;
    world.answer(id, { stepUp });
    expect(auditOf(before, world.log.slice(-1) as ChatEvent[], undefined)).toMatchObject([{ credentialId: 'key-1' }]);
  });
});

describe('[SIGN2] what a passkey signs', () => {
  const ids = { sessionId: 's', interactionId: 'c.1', digest: 'd', answerId: 'a', person: 'ann' };
  const terms = { source: { kind: 'tool', name: 'open' }, risk: 'high', grantTtlMs: 2000, sessionTtlMs: 1000 } as const;
  const signed = { ...ids, terms };
  const plain = challengeText(signed, { action: 'approve', approvalScope: 'once' });

  test('is canonical JSON with a version', () => {
    expect(plain).toBe(
      '{"answer":{"action":"approve","approvalScope":"once"},"answerId":"a","digest":"d","interactionId":"c.1","person":"ann","sessionId":"s","terms":{"grantTtlMs":2000,"risk":"high","sessionTtlMs":1000,"source":{"kind":"tool","name":"open"}},"v":2}',
    );
  });

  test('was the same without the terms in version 1', () => {
    expect(challengeText(signed, { action: 'approve', approvalScope: 'once' }, 1)).toBe(
      '{"answer":{"action":"approve","approvalScope":"once"},"answerId":"a","digest":"d","interactionId":"c.1","person":"ann","sessionId":"s","v":1}',
    );
  });

  test.each([
    { risk: 'low' },
    { risk: undefined },
    { grantTtlMs: undefined },
    { sessionTtlMs: 1001 },
    { source: { kind: 'agent', name: 'open' } },
    { source: { kind: 'tool', name: 'close' } },
  ] as const)('differs for other terms: %j', (other) => {
    const request = requestFrom({ ...approvalDraft, ...terms, ...other } as typeof approvalDraft);
    const identity = { ...ids, terms: termsOf(request) };
    expect(challengeText(identity, { action: 'approve', approvalScope: 'once' })).not.toBe(plain);
  });

  test.each(Object.keys(ids))('differs for another %s', (name) => {
    expect(challengeText({ ...signed, [name]: 'other' }, { action: 'approve', approvalScope: 'once' })).not.toBe(plain);
  });

  test.each([
    { action: 'approve', approvalScope: 'always' },
    { action: 'approve', approvalScope: 'once', ruleId: 'r' },
    { action: 'approve', approvalScope: 'once', editedArgs: {} },
    { action: 'approve', approvalScope: 'once', reason: 'Fine' },
    { action: 'submit', button: 'b' },
    { action: 'submit', input: { city: 'Bern' } },
  ] as const)('differs for another answer: %j', (answer) => {
    expect(challengeText(signed, answer)).not.toBe(plain);
  });

  test('is computed alike from a form, without its secrets, and from the log', () => {
    const world = new World();
    const id = world.ask({ ...inputDraft, stepUp: true });
    const answer = { action: 'submit', input: { city: 'Bern', nights: '', pin: '1234' }, reason: 'Fine' } as const;
    world.answer(id, { ...answer, stepUp });
    const request = requestFrom(inputDraft);
    const stored = world.eventsOf('interaction_response')[0]?.payload;
    expect(signedAnswer(request, answer)).toEqual(stored && answerOfResponse(stored));
    expect(JSON.stringify(signedAnswer(request, answer))).not.toContain('1234');
  });

  test('is computed alike from a vote and from the log', () => {
    const answer = { action: 'approve', reason: 'Fine' } as const;
    expect(signedAnswer(requestFrom(approvalDraft), answer)).toEqual(answerOfVote(answer));
    expect(answerOfVote({ action: 'deny' })).toEqual({ action: 'deny' });
  });
});

test('[SIGN2, SEC6] an assertion has exactly its members, in base64url, of limited length', () => {
  const given = { id: 'key', response: { authenticatorData: 'AA', clientDataJSON: 'BB', signature: 'CC' } };
  expect(assertionSchema.parse(given)).toEqual(given);
  const wrong = [
    { ...given, type: 'public-key' },
    { ...given, id: 'a/b' },
    { ...given, id: 'A'.repeat(1401) },
    { ...given, response: { ...given.response, userHandle: 'AA' } },
    { ...given, response: { ...given.response, clientDataJSON: 'A'.repeat(4001) } },
    { ...given, response: { ...given.response, signature: '' } },
  ];
  for (const each of wrong) expect(assertionSchema.safeParse(each).success).toBe(false);
});
