import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { actor, approvalDraft, type DraftPart, inputDraft, operator, viewer } from '../../test/support/samples.ts';
import { codeOf, detailsOf, World } from '../../test/support/world.ts';
import { wireErrors } from '../basics/error.ts';
import type { InteractionId } from '../basics/id.ts';
import type { AnswerCommand, PromptDraft } from './command.ts';

type Parts = Parameters<World['answerCommand']>[1];

type SceneName =
  | 'open'
  | 'form'
  | 'pending'
  | 'expired'
  | 'answered'
  | 'timedOut'
  | 'replaced'
  | 'answeredAndAskedAgain'
  | 'cancelled'
  | 'signed';

/** Makes a prompt in some state; returns its id. */
type Scene = (world: World) => InteractionId;

const scenes: Record<SceneName, Scene> = {
  open: (world) => world.ask(),
  form: (world) => world.ask(inputDraft),
  pending: (world) => world.askPending(),
  expired(world) {
    const id = world.ask();
    world.expire(id);
    return id;
  },
  answered(world) {
    const id = world.ask();
    world.answer(id, { answerId: 'winner', by: actor('first') });
    return id;
  },
  timedOut(world) {
    const id = world.ask({ hasTimeoutHook: false });
    world.expire(id);
    return id;
  },
  replaced(world) {
    const id = scenes.expired(world);
    reprompt(world, id);
    return id;
  },
  answeredAndAskedAgain(world) {
    const id = scenes.answered(world);
    reprompt(world, id);
    return id;
  },
  cancelled(world) {
    const id = world.ask();
    world.cancel();
    return id;
  },
  signed: (world) => world.ask({ stepUp: true }),
};

function reprompt(world: World, id: InteractionId, parts: DraftPart = {}): InteractionId {
  const last = world.requestOf(id);
  if (!last) throw new Error(`${id} was never asked`);
  world.accept({ type: 'reprompt', last, draft: { ...last, error: 'Once more.', ...parts } as PromptDraft });
  return world.head.prompts.at(-1)?.request.interactionId ?? '';
}

/** Each row breaks its own rule and, if possible, every later one, so that a wrong order is detected. */
const everyFault: Parts = { principal: viewer, isEnabled: false, digest: 'another', action: 'submit' };
const greeted: Parts = { ...everyFault, principal: operator, isEnabled: true };

const refusals: [string, SceneName, Parts][] = [
  ['not_found', 'open', { ...everyFault, interactionId: 'call.9' }],
  ['not_found', 'open', { ...everyFault, callId: 'another' }],
  ['not_found', 'answered', { ...everyFault, callId: 'another' }],
  ['forbidden', 'open', everyFault],
  ['forbidden', 'answered', everyFault],
  ['forbidden', 'timedOut', everyFault],
  ['interaction_disabled', 'open', { ...everyFault, principal: operator }],
  ['interaction_disabled', 'answered', { ...everyFault, principal: operator, answerId: 'winner' }],
  ['interaction_disabled', 'replaced', { ...everyFault, principal: operator }],
  ['idempotency_conflict', 'answered', { ...greeted, answerId: 'winner' }],
  ['idempotency_conflict', 'answeredAndAskedAgain', { ...greeted, answerId: 'winner' }],
  ['already_answered', 'answered', greeted],
  ['already_answered', 'answeredAndAskedAgain', greeted],
  ['stale', 'replaced', greeted],
  ['stale', 'replaced', {}],
  ['stale', 'timedOut', greeted],
  ['stale', 'expired', greeted],
  ['stale', 'pending', greeted],
  ['stale', 'open', greeted],
  ['retry_later', 'expired', { action: 'submit' }],
  ['closed', 'timedOut', { action: 'submit' }],
  ['closed', 'cancelled', { action: 'submit' }],
  ['invalid', 'open', { action: 'submit' }],
  ['invalid', 'pending', { action: 'submit' }],
  ['step_up_required', 'signed', {}],
];

describe('refusals', () => {
  test.each(refusals)('[INT5] %s: %s, %j', (code, scene, parts) => {
    const world = new World();
    const id = scenes[scene](world);
    const before = world.head;
    expect(codeOf(world.answer(id, parts))).toBe(code);
    expect(world.head).toBe(before);
  });

  test('[INT5] the table above follows the order of the codes', () => {
    const order = Object.keys(wireErrors);
    const places = refusals.map(([code]) => order.indexOf(code));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(new Set(refusals.map(([code]) => code)).size).toBe(10);
  });

  test('[INT5] a losing answer gets the winner, the time, the winning answer and the current prompt', () => {
    const world = new World();
    const id = scenes.answered(world);
    const [event] = world.eventsOf('interaction_response');
    expect(detailsOf(world.answer(id))).toEqual({ by: actor('first'), at: event?.timestamp, event });
    const current = reprompt(world, id);
    expect(detailsOf(world.answer(id))).toEqual({ by: actor('first'), at: event?.timestamp, event, current });
  });

  test('[INT5] a wrong digest of a prompt that nothing replaced is not called replaced', () => {
    const world = new World();
    const id = scenes.open(world);
    expect(world.answer(id, { digest: 'of something else' })).toMatchObject({
      refusal: { message: 'This is not what is shown now: read it again.', details: { current: id } },
    });
  });

  test('[INT5] stale names the newest prompt of the slot, however often it was replaced', () => {
    const world = new World();
    const first = scenes.expired(world);
    const second = reprompt(world, first);
    expect(detailsOf(world.answer(first))).toEqual({ current: second });
    world.expire(second);
    const third = reprompt(world, second);
    expect(detailsOf(world.answer(first))).toEqual({ current: third });
  });

  test('[INT5] stale names the replacement if no prompt of the slot is open any more', () => {
    const world = new World();
    const first = scenes.expired(world);
    const second = reprompt(world, first, { hasTimeoutHook: false });
    world.expire(second);
    expect(detailsOf(world.answer(first))).toEqual({ current: second });
  });

  test('[INT5] a prompt seen with another digest is stale and names itself', () => {
    const world = new World();
    const id = world.ask();
    expect(detailsOf(world.answer(id, { digest: 'old' }))).toEqual({ current: id });
    expect(codeOf(world.answer(id, { digest: world.requestOf(id)?.digest }))).toBe('accepted');
  });

  test('[INT5] a prompt of another call, or of another slot, is not the current one', () => {
    const world = new World();
    const id = scenes.answered(world);
    world.ask();
    world.ask({ slot: '2' }, world.requestOf(id)?.toolCallId);
    expect(detailsOf(world.answer(id))).not.toHaveProperty('current');
  });

  test('[INT5] closed has the reason', () => {
    const world = new World();
    expect(detailsOf(world.answer(scenes.cancelled(world)))).toEqual({ reason: 'cancelled' });
  });

  test('[INT5] an invalid answer names its fields and the prompt stays open', () => {
    const world = new World();
    const id = scenes.form(world);
    expect(detailsOf(world.answer(id, { action: 'submit', input: {} }))).toEqual({
      fieldErrors: { city: 'Required.' },
    });
    expect(codeOf(world.answer(id, { action: 'submit', input: { city: 'Bern' } }))).toBe('accepted');
  });
});

describe('the claim', () => {
  test('[INT4] of any number of answers in any order exactly one is accepted: the first valid one', () => {
    const rival = fc.record({
      tab: fc.nat(200),
      isAllowed: fc.boolean(),
      isEnabled: fc.boolean(),
      isFitting: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(rival, { minLength: 1, maxLength: 100 }), fc.boolean(), (rivals, isLate) => {
        const world = new World();
        const id = isLate ? scenes.pending(world) : scenes.open(world);
        const codes = rivals.map(({ tab, isAllowed, isEnabled, isFitting }) => {
          const principal = isAllowed ? operator : viewer;
          const action = isFitting ? 'approve' : 'submit';
          return codeOf(world.answer(id, { principal, isEnabled, by: actor(`tab-${tab}`), action }));
        });
        const winner = rivals.findIndex((each) => each.isAllowed && each.isEnabled && each.isFitting);
        expect(codes.indexOf('accepted')).toBe(winner);
        expect(codes.lastIndexOf('accepted')).toBe(winner);
        expect(world.eventsOf('interaction_response').map(({ payload }) => payload.by.clientId)).toEqual(
          winner < 0 ? [] : [`tab-${rivals[winner]?.tab}`],
        );
      }),
    );
  });

  test('[INT4] of an answer, a timeout and a cancel in any order exactly one settles', () => {
    const acts = {
      answer: (world: World, id: InteractionId) => world.answer(id),
      timeout: (world: World, id: InteractionId) =>
        world.do({ type: 'expire', interactionId: id, deadline: world.now }),
      cancel: (world: World) => world.cancel(),
    };
    fc.assert(
      fc.property(fc.shuffledSubarray(Object.keys(acts) as (keyof typeof acts)[], { minLength: 1 }), (order) => {
        const world = new World();
        const id = world.ask({ timeoutMs: 1, hasTimeoutHook: false });
        world.now += 1;
        for (const act of order) acts[act](world, id);
        const winner = { answer: undefined, timeout: 'timeout', cancel: 'cancelled' }[order[0] ?? 'answer'];
        expect(
          world.settlementsOf(id).map(({ payload }) => ('reason' in payload ? payload.reason : undefined)),
        ).toEqual([winner]);
      }),
    );
  });

  test('[INT10] an answer after the deadline counts until the timeout has claimed the prompt', () => {
    const world = new World();
    const id = world.ask({ timeoutMs: 1000 });
    world.now += 60_000;
    expect(codeOf(world.answer(id))).toBe('accepted');
  });

  test('[INT13] open prompts of one call and of parallel calls are answered independently', () => {
    const world = new World();
    const [left, right] = world.call(2).map(({ toolCallId }) => toolCallId);
    const ids = [left, left, right].map((toolCallId, n) => world.ask({ slot: `${n}` }, toolCallId));
    expect(codeOf(world.answer(ids[1] ?? ''))).toBe('accepted');
    expect(world.head.prompts.map(({ request }) => request.interactionId)).toEqual([ids[0], ids[2]]);
  });

  test('[INT6] an omitted scope is stored as once', () => {
    const world = new World();
    world.answer(world.ask());
    expect(world.eventsOf('interaction_response')[0]?.payload.approvalScope).toBe('once');
  });

  test('[INT6] consent to open an address and a denial store no scope', () => {
    const world = new World();
    world.answer(world.ask({ interactionType: 'url' }));
    world.answer(world.ask(), { action: 'deny', reason: 'no' });
    const [open, denial] = world.eventsOf('interaction_response');
    expect(open?.payload).not.toHaveProperty('approvalScope');
    expect(denial?.payload).toMatchObject({ action: 'deny', reason: 'no' });
    expect(denial?.payload).not.toHaveProperty('approvalScope');
  });

  test('[INT17] the decision carries the complete answer, with secrets in the clear', () => {
    const world = new World();
    const id = scenes.form(world);
    const decision = world.answer(id, { action: 'submit', input: { city: 'Bern', pin: '4711' } });
    expect(decision).toMatchObject({
      given: {
        request: { interactionId: id },
        answer: { interactionId: id, action: 'submit', input: { city: 'Bern', pin: '4711' }, by: actor() },
      },
    });
  });

  test('[SEC4] answers to prompts for others, or with a scope above the role, are forbidden', () => {
    const world = new World();
    const id = world.ask({ audience: { principals: ['Ann'] }, approvalScopes: ['once', 'always'] });
    expect(codeOf(world.answer(id))).toBe('forbidden');
    const principal = { id: 'a', name: 'Ann', role: 'responder' } as const;
    const always = { principal, approvalScope: 'always', digest: approvalDraft.digest } as const;
    expect(codeOf(world.answer(id, always))).toBe('forbidden');
    expect(codeOf(world.answer(id, { principal }))).toBe('accepted');
  });

  test('[SEC4] the audience of a settled prompt still determines who may see how it was settled', () => {
    const world = new World();
    const id = world.ask({ audience: { role: 'operator' } });
    world.answer(id);
    expect(codeOf(world.answer(id, { principal: { id: 'r', role: 'responder' } }))).toBe('forbidden');
    expect(codeOf(world.answer(id))).toBe('already_answered');
  });

  test('[INT16] the log holds no empty field and no secret', () => {
    const world = new World();
    const id = scenes.form(world);
    world.answer(id, { action: 'submit', input: { city: 'Bern', pin: '4711' } });
    expect(world.eventsOf('interaction_response')[0]?.payload.input).toEqual({ city: 'Bern', pin: { redacted: true } });
    expect(JSON.stringify(world.log)).not.toContain('4711');
  });

  test('[APR2] edited arguments are stored as they were approved', () => {
    const world = new World();
    world.answer(world.ask({ editable: true }), { editedArgs: { path: '/tmp' }, digest: approvalDraft.digest });
    expect(world.eventsOf('interaction_response')[0]?.payload.editedArgs).toEqual({ path: '/tmp' });
  });
});

describe('a repeat', () => {
  const repeat = (world: World, command: AnswerCommand) =>
    world.do({ ...command, past: world.past(command.interactionId) });

  test('[FRM6] of the winning answer gets its seq again, and nothing is appended', () => {
    const world = new World();
    const command = world.answerCommand(world.ask());
    const [event] = world.accept(command);
    const { length } = world.log;
    for (let times = 0; times < 3; times += 1) {
      expect(repeat(world, command)).toEqual({ kind: 'repeated', seq: event?.seq });
    }
    expect(world.log).toHaveLength(length);
  });

  test('[INT5] of the winning answer is ok before everything else, also for a client that may no longer answer', () => {
    const world = new World();
    const command = world.answerCommand(world.ask());
    const [event] = world.accept(command);
    const disabled = { ...command, principal: viewer, isEnabled: false, digest: 'another' };
    expect(repeat(world, disabled)).toEqual({ kind: 'repeated', seq: event?.seq });
  });

  test('[FRM6] is the same answer even with the default written out, and with empty fields left out', () => {
    const world = new World();
    const approval = world.answerCommand(world.ask());
    world.accept(approval);
    expect(repeat(world, { ...approval, answer: { action: 'approve', approvalScope: 'once' } }).kind).toBe('repeated');
    const form = world.answerCommand(scenes.form(world), { action: 'submit', input: { city: 'Bern', pin: '' } });
    world.accept(form);
    expect(repeat(world, { ...form, answer: { action: 'submit', input: { city: 'Bern' } } }).kind).toBe('repeated');
  });

  test.each<[string, Parts]>([
    ['another action', { action: 'deny' }],
    ['another scope', { action: 'approve', approvalScope: 'session' }],
    ['a reason', { action: 'approve', reason: 'fine' }],
    ['edited arguments', { action: 'approve', editedArgs: {} }],
  ])('[FRM6] with %s under the same answerId is a conflict', (_, parts) => {
    const world = new World();
    const id = world.ask();
    world.answer(id, { answerId: 'same' });
    expect(codeOf(world.answer(id, { answerId: 'same', ...parts }))).toBe('idempotency_conflict');
  });

  test('[FRM6] of a late answer gets the seq of its claim and no second message', () => {
    const world = new World();
    const command = world.answerCommand(scenes.pending(world));
    const [claim] = world.accept(command);
    expect(claim?.type).toBe('interaction_response');
    expect(repeat(world, command)).toEqual({ kind: 'repeated', seq: claim?.seq });
  });
});
