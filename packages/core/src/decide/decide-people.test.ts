import { describe, expect, test } from 'vitest';
import { actor, approvalDraft, type DraftPart } from '../../test/support/samples.ts';
import { codeOf, World } from '../../test/support/world.ts';
import { digestText } from '../prompt/interaction.ts';
import type { Principal } from '../prompt/role.ts';

const ann: Principal = { id: 'ann', role: 'responder' };
const annsPhone: Principal = { id: 'ann-phone', role: 'responder', owner: 'ann' };
const bob: Principal = { id: 'bob', role: 'responder' };
const boss: Principal = { id: 'boss', role: 'operator' };

const actorOf = ({ id, owner, role }: Principal) => ({
  ...actor(id),
  principal: id,
  ...(owner !== undefined && { owner }),
  role,
});

/** A turn that this person requested, with an open prompt in it. */
function askedBy(requester: Principal, draft: DraftPart) {
  const world = new World();
  const message = { messageId: 'm', text: 'go', origin: 'user', from: actorOf(requester) } as const;
  world.accept({ type: 'send', message });
  return { world, interactionId: world.ask(draft) };
}

function verdict({ world, interactionId }: ReturnType<typeof askedBy>, principal: Principal): string {
  return codeOf(world.do(world.answerCommand(interactionId, { principal, by: actorOf(principal) })));
}

test.each<[string, Principal, DraftPart, Principal, string]>([
  ['a requester may answer without a risk', ann, {}, ann, 'accepted'],
  ['a requester may not answer at high risk', ann, { risk: 'high' }, ann, 'forbidden'],
  ['nor with another token of the same person', ann, { risk: 'high' }, annsPhone, 'forbidden'],
  ['nor with the first where the second asked', annsPhone, { risk: 'high' }, ann, 'forbidden'],
  ['another may', ann, { risk: 'high' }, bob, 'accepted'],
  ['an operator may, though it asked', boss, { risk: 'high' }, boss, 'accepted'],
  ['an exclusion binds operators, too', boss, { audience: { exclude: ['requester'] } }, boss, 'forbidden'],
  ['an exclusion leaves the others', boss, { audience: { exclude: ['requester'] } }, ann, 'accepted'],
  [
    'an exclusion goes before a name',
    ann,
    { audience: { principals: ['ann'], exclude: ['requester'] } },
    ann,
    'forbidden',
  ],
])('[TEAM2] %s', (_, requester, draft, answerer, expected) => {
  expect(verdict(askedBy(requester, draft), answerer)).toBe(expected);
});

test('[TEAM2, INT9] a requester stays excluded after the turn, and after the prompt was settled', () => {
  const world = new World();
  world.accept({ type: 'send', message: { messageId: 'm', text: 'go', origin: 'user', from: actorOf(ann) } });
  const interactionId = world.askPending({ risk: 'high' });
  world.accept({
    type: 'return',
    toolCallId: world.requestOf(interactionId)?.toolCallId ?? '',
    returned: { result: null },
  });
  world.endTurn();
  world.send('another turn, of the owner');
  expect(verdict({ world, interactionId }, ann)).toBe('forbidden');
  expect(verdict({ world, interactionId }, bob)).toBe('accepted');
  expect(verdict({ world, interactionId }, ann)).toBe('forbidden');
});

test('[TEAM2, INT8] a requester is excluded from the prompt’s replacement', () => {
  const world = new World();
  world.accept({ type: 'send', message: { messageId: 'm', text: 'go', origin: 'user', from: actorOf(ann) } });
  const first = world.ask({ risk: 'high' });
  const last = world.requestOf(first);
  if (!last) throw new Error('not asked');
  world.answer(first, { principal: bob });
  world.accept({ type: 'reprompt', last, draft: { ...approvalDraft, toolCallId: last.toolCallId, risk: 'high' } });
  const interactionId = world.head.prompts.at(-1)?.request.interactionId ?? '';
  expect(verdict({ world, interactionId }, ann)).toBe('forbidden');
});

test('[TEAM2] the head keeps the persons who began and who edited a turn, each once', () => {
  const world = new World();
  world.send();
  const message = { messageId: 'next', text: 'x', origin: 'user', from: actorOf(ann) } as const;
  world.accept({ type: 'send', message });
  const edit = (principal: Principal, text: string) =>
    world.do({ type: 'edit_queued', messageId: 'next', text, by: actorOf(principal), principal });
  expect(codeOf(edit(bob, 'not his'))).toBe('forbidden');
  expect(codeOf(edit(annsPhone, 'hers'))).toBe('accepted');
  expect(world.head.queue).toMatchObject([{ text: 'hers', from: { principal: 'ann' } }]);
  expect(world.head.queue[0]).not.toHaveProperty('editedBy');
  edit(boss, 'changed');
  edit(boss, 'changed again');
  expect(world.head.queue).toMatchObject([{ text: 'changed again', editedBy: [{ principal: 'boss' }] }]);
  world.endTurn();
  expect(world.eventsOf('user_message').at(-1)?.payload).toMatchObject({
    text: 'changed again',
    from: { principal: 'ann' },
    editedBy: [{ principal: 'boss' }],
  });
  expect(world.head.turn?.requesters).toEqual(['ann', 'boss']);
});

test.each<[string, DraftPart, Principal, string]>([
  ['a responder edits without a risk', {}, bob, 'accepted'],
  ['a responder does not at high risk', { risk: 'high' }, bob, 'forbidden'],
  ['an operator does at high risk', { risk: 'high' }, boss, 'accepted'],
  ['nobody does where requesters are excluded', { audience: { exclude: ['requester'] } }, boss, 'forbidden'],
])('[TEAM2] an edit counts as the editor’s own request: %s', (_, draft, principal, expected) => {
  const { world, interactionId } = askedBy(ann, { ...draft, editable: true });
  const by = actorOf(principal);
  const answer = { principal, by, editedArgs: { n: 2 }, digest: approvalDraft.digest };
  const decision = world.answer(interactionId, answer);
  expect(codeOf(decision)).toBe(expected);
  if (decision.kind !== 'refused') return;
  expect(decision.refusal.message).toMatch(/^An edit is a request of your own/);
  expect(world.settlementsOf(interactionId)).toEqual([]);
  expect(verdict({ world, interactionId }, principal)).toBe('accepted');
});

test('[TEAM2] the editor of a call is a requester of its next prompts, and of the calls inside it', () => {
  const { world, interactionId } = askedBy(ann, { editable: true });
  const toolCallId = world.requestOf(interactionId)?.toolCallId ?? '';
  world.answer(interactionId, { by: actorOf(bob), editedArgs: {}, digest: approvalDraft.digest });
  const inner = { toolCallId: 'inner', toolName: 'tool', args: {}, authorised: { by: 'tool' } } as const;
  const calls = [{ ...inner, parentToolCallId: toolCallId }];
  const turnId = world.head.turn?.turnId ?? '';
  world.accept({ type: 'write', turnId, responseId: 'response', blocks: [], calls });
  for (const call of [toolCallId, 'inner']) {
    const next = { world, interactionId: world.ask({ risk: 'high' }, call) };
    expect(world.requestOf(next.interactionId)?.requesters).toEqual(['ann', 'bob']);
    expect([verdict(next, ann), verdict(next, bob), verdict(next, boss)]).toEqual([
      'forbidden',
      'forbidden',
      'accepted',
    ]);
  }
  const [other] = world.call();
  const elsewhere = world.ask({ risk: 'high' }, other?.toolCallId);
  expect(world.requestOf(elsewhere)?.requesters).toEqual(['ann']);
});

describe('[TEAM2, INT9] the turn of a late answer is requested by whoever answered and by the original requesters', () => {
  /** A pending prompt whose call and turn have ended. */
  function pendingAskedBy(requester: Principal) {
    const world = new World();
    world.accept({ type: 'send', message: { messageId: 'm', text: 'go', origin: 'user', from: actorOf(requester) } });
    const interactionId = world.askPending();
    const toolCallId = world.requestOf(interactionId)?.toolCallId ?? '';
    world.accept({ type: 'return', toolCallId, returned: { result: null } });
    world.endTurn();
    return { world, interactionId };
  }

  const answersLate = { principal: bob, by: actorOf(bob) };

  test('at once, if nothing runs', () => {
    const { world, interactionId } = pendingAskedBy(ann);
    world.answer(interactionId, answersLate);
    expect(world.head.turn?.requesters).toEqual(['bob', 'ann']);
    expect(world.eventsOf('user_message').at(-1)?.payload).not.toHaveProperty('requesters');
  });

  test('each once', () => {
    const { world, interactionId } = pendingAskedBy(annsPhone);
    world.answer(interactionId, { principal: ann, by: actorOf(ann) });
    expect(world.head.turn?.requesters).toEqual(['ann']);
  });

  test.each([false, true])('after waiting for another turn, with a hook of its own: %s', (hasLateHook) => {
    const { world, interactionId } = pendingAskedBy(ann);
    world.send();
    world.answer(interactionId, { ...answersLate, hasLateHook });
    if (hasLateHook) world.accept({ type: 'follow_up', interactionId, text: 'late' });
    world.endTurn();
    expect(world.head.turn?.requesters).toEqual(['bob', 'ann']);
  });

  test('from a slow hook', () => {
    const { world, interactionId } = pendingAskedBy(ann);
    world.answer(interactionId, { ...answersLate, hasLateHook: true });
    world.accept({ type: 'follow_up', interactionId, text: 'late' });
    expect(world.head.turn?.requesters).toEqual(['bob', 'ann']);
  });

  test('through several turns', () => {
    const { world, interactionId } = pendingAskedBy(ann);
    world.answer(interactionId, answersLate);
    const again = world.askPending();
    world.answer(again, { principal: boss, by: actorOf(boss) });
    world.endTurn();
    expect(world.head.turn?.requesters).toEqual(['boss', 'bob', 'ann']);
  });
});

test('[TEAM2] a turn of an earlier release excludes nobody', () => {
  const world = new World();
  world.append([
    { type: 'user_message', payload: { messageId: 'm', text: 'go', origin: 'user', from: actorOf(ann) }, turnId: 't' },
    { type: 'turn_start', payload: { trigger: 'user', agent: 'demo', owner: 'process' }, turnId: 't' },
  ]);
  expect(verdict({ world, interactionId: world.ask({ risk: 'high' }) }, ann)).toBe('accepted');
});

test('[TEAM1, DUR5] the audience is not part of the digest', () => {
  const spec = { type: 'approval', title: 'Go?' } as const;
  expect(digestText('tool', { ...spec, audience: { roles: ['operator'], exclude: ['requester'] } })).toBe(
    digestText('tool', spec),
  );
});
