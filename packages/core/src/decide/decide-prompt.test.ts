import { describe, expect, test } from 'vitest';
import { approvalDraft, type DraftPart, sessionStart } from '../../test/support/samples.ts';
import { codeOf, World } from '../../test/support/world.ts';
import type { InteractionId } from '../basics/id.ts';
import { limits } from '../basics/limits.ts';
import type { InteractionRequest } from '../prompt/interaction-request.ts';
import type { PromptDraft } from './command.ts';

const day = 86_400_000;

function requestIn(world: World, id: InteractionId): InteractionRequest {
  const request = world.requestOf(id);
  if (!request) throw new Error(`${id} was never asked`);
  return request;
}

function reprompt(world: World, id: InteractionId, parts: DraftPart = {}) {
  const last = requestIn(world, id);
  const { timeoutMs: _, expiresAt: __, ...draft } = last;
  return world.do({ type: 'reprompt', last, draft: { ...draft, ...parts } as PromptDraft });
}

describe('asking', () => {
  test("[INT2] prompts of a call are numbered from 1, whatever the call's id", () => {
    const world = new World();
    world.send();
    const toolCallId = 'a.b.7';
    const call = { toolCallId, toolName: 'tool', args: {}, authorised: { by: 'tool' } } as const;
    const turnId = world.head.turn?.turnId ?? '';
    world.accept({ type: 'write', turnId, responseId: 'response', blocks: [], calls: [call] });
    expect([1, 2, 3].map(() => world.ask({}, toolCallId))).toEqual(['a.b.7.1', 'a.b.7.2', 'a.b.7.3']);
  });

  test("[INT2] the gate's prompt is number 0 and leaves 1 to the handler", () => {
    const world = new World();
    const [call] = world.call();
    const draft = { ...approvalDraft, toolCallId: call?.toolCallId ?? '' };
    const [gate] = world.accept({ type: 'ask', draft, isGate: true });
    expect(gate?.payload).toMatchObject({ interactionId: `${call?.toolCallId}.0` });
    expect(world.ask({}, call?.toolCallId)).toBe(`${call?.toolCallId}.1`);
  });

  test('[INT2] parallel calls count separately', () => {
    const world = new World();
    const [left, right] = world.call(2).map(({ toolCallId }) => toolCallId);
    expect([world.ask({}, left), world.ask({}, right), world.ask({}, left)]).toEqual([
      `${left}.1`,
      `${right}.1`,
      `${left}.2`,
    ]);
  });

  test('[INT10] the deadline is absolute: now plus the timeout', () => {
    const world = new World();
    world.now = sessionStart + 1234;
    const id = world.ask({ timeoutMs: 30 * day });
    expect(world.promptOf(id).expiresAt).toBe(new Date(sessionStart + 1234 + 30 * day).toISOString());
  });

  test('[INT10] a prompt without a timeout has no deadline and never expires', () => {
    const world = new World();
    const id = world.ask({ timeoutMs: undefined });
    world.now += 1000 * day;
    expect(world.promptOf(id).expiresAt).toBeUndefined();
    expect(world.accept({ type: 'expire', interactionId: id, deadline: world.now })).toEqual([]);
  });

  test('[INT11] a call that has ended cannot ask', () => {
    const world = new World();
    const [call] = world.call();
    world.cancel();
    const draft = { ...approvalDraft, toolCallId: call?.toolCallId ?? '' };
    expect(codeOf(world.do({ type: 'ask', draft }))).toBe('closed');
  });

  test(`[SEC6] a session holds ${limits.openPrompts} open prompts, including pending ones, and no more`, () => {
    const world = new World();
    const toolCallId = world.requestOf(world.askPending())?.toolCallId;
    for (let count = 1; count < limits.openPrompts; count += 1) world.ask({}, toolCallId);
    const draft = { ...approvalDraft, toolCallId: toolCallId ?? '' };
    expect(codeOf(world.do({ type: 'ask', draft }))).toBe('too_many_prompts');
    world.answer(world.head.prompts.at(-1)?.request.interactionId ?? '');
    expect(codeOf(world.do({ type: 'ask', draft }))).toBe('accepted');
  });

  test('[SEC11] large prompts share a budget; there is always room for a small one', () => {
    const world = new World();
    const toolCallId = world.requestOf(world.askPending())?.toolCallId ?? '';
    const large = { ...approvalDraft, toolCallId, prompt: 'x'.repeat(limits.promptBytes - 1000) };
    for (let bytes = limits.promptBytes; bytes < limits.openPromptBytes; bytes += limits.promptBytes)
      world.ask({ prompt: large.prompt }, toolCallId);
    expect(codeOf(world.do({ type: 'ask', draft: { ...large, prompt: large.prompt.repeat(2) } }))).toBe(
      'too_many_prompts',
    );
    expect(codeOf(world.do({ type: 'ask', draft: { ...approvalDraft, toolCallId } }))).toBe('accepted');
  });

  test('[DUR5] an open prompt of the slot that asked something else closes in the same append', () => {
    const world = new World();
    const old = world.ask();
    const toolCallId = requestIn(world, old).toolCallId;
    const draft = { ...approvalDraft, toolCallId, digest: 'other' };
    const [closed, asked] = world.accept({ type: 'ask', draft, supersedes: old });
    expect(closed?.payload).toEqual({
      toolCallId,
      interactionId: old,
      reason: 'superseded',
      replacedBy: `${toolCallId}.2`,
    });
    expect(asked?.payload).toMatchObject({ interactionId: `${toolCallId}.2`, attempt: 1, digest: 'other' });
    expect(world.accept({ type: 'ask', draft, supersedes: old }).map(({ type }) => type)).toEqual([
      'interaction_request',
    ]);
  });
});

describe('expiry', () => {
  test('[INT10] with a hook, the timeout claims the prompt and the hook decides', () => {
    const world = new World();
    const id = world.ask();
    world.expire(id);
    expect(world.log.at(-1)).toMatchObject({ type: 'interaction_expired', payload: { interactionId: id } });
    expect(world.promptOf(id).state).toBe('expired');
    expect(codeOf(world.answer(id))).toBe('retry_later');
  });

  test('[INT10] without a hook, the prompt closes at once', () => {
    const world = new World();
    const id = world.ask({ hasTimeoutHook: false });
    world.expire(id);
    expect(world.log.at(-1)).toMatchObject({
      type: 'interaction_closed',
      payload: { interactionId: id, reason: 'timeout' },
    });
    expect(world.head.prompts).toEqual([]);
  });

  test('[INT10] a prompt of an earlier release, which does not say if it has a hook, expires so that its handler decides', () => {
    const world = new World();
    const { hasTimeoutHook: _, ...draft } = approvalDraft;
    const [call] = world.call();
    world.accept({ type: 'ask', draft: { ...draft, toolCallId: call?.toolCallId ?? '' } });
    world.expire(world.head.prompts[0]?.request.interactionId ?? '');
    expect(world.types().at(-1)).toBe('interaction_expired');
  });

  test('[INT10] nothing expires a millisecond before its time', () => {
    const world = new World();
    const id = world.ask({ timeoutMs: 1000 });
    world.now += 999;
    expect(world.accept({ type: 'expire', interactionId: id, deadline: world.now })).toEqual([]);
    world.now += 1;
    expect(world.accept({ type: 'expire', interactionId: id, deadline: world.now })).toHaveLength(1);
  });

  test('[INT10] a prompt expires once, and an answered one never', () => {
    const world = new World();
    const expired = world.ask();
    world.expire(expired);
    const answered = world.ask();
    world.answer(answered);
    world.now += day;
    for (const interactionId of [expired, answered, 'nowhere.1']) {
      expect(world.accept({ type: 'expire', interactionId, deadline: world.now })).toEqual([]);
    }
  });

  test('[INT10] the prompt closes when its hook completes or fails', () => {
    for (const reason of ['timeout', 'handler_error'] as const) {
      const world = new World();
      const id = world.ask();
      world.expire(id);
      const [closed] = world.accept({ type: 'close_expired', interactionId: id, reason });
      expect(closed).toMatchObject({ type: 'interaction_closed', payload: { interactionId: id, reason } });
      expect(codeOf(world.do({ type: 'close_expired', interactionId: id, reason }))).toBe('closed');
    }
  });

  test('[INT10] only an expired prompt can be closed this way', () => {
    const world = new World();
    const id = world.ask();
    expect(codeOf(world.do({ type: 'close_expired', interactionId: id, reason: 'timeout' }))).toBe('closed');
    expect(world.promptOf(id).state).toBe('open');
  });

  test('[INT9] a pending prompt closes at the end of its own time, without its hook', () => {
    const world = new World();
    const id = world.askPending();
    expect(world.accept({ type: 'expire', interactionId: id, deadline: world.now })).toEqual([]);
    world.expire(id);
    expect(world.log.at(-1)).toMatchObject({ type: 'interaction_closed', payload: { reason: 'timeout' } });
  });
});

describe('reprompt', () => {
  test('[INT8] after an answer opens the next attempt under a new id with a new deadline', () => {
    const world = new World();
    const id = world.ask();
    world.answer(id);
    world.now += 60_000;
    const from = world.log.length;
    reprompt(world, id, { error: 'Taken.', timeoutMs: 1000 });
    const request = requestIn(world, id);
    expect(world.types(from)).toEqual(['interaction_request']);
    expect(world.log.at(-1)?.payload).toEqual({
      ...request,
      interactionId: `${request.toolCallId}.2`,
      replaces: id,
      attempt: 2,
      error: 'Taken.',
      timeoutMs: 1000,
      expiresAt: new Date(world.now + 1000).toISOString(),
    });
  });

  test('[INT8] without a timeout has no deadline, not the old one', () => {
    const world = new World();
    const id = world.ask();
    world.answer(id);
    reprompt(world, id);
    expect(world.log.at(-1)?.payload).not.toHaveProperty('expiresAt');
  });

  test('[INT8] after a timeout closes the expired prompt, naming its replacement, in the same append', () => {
    const world = new World();
    const id = world.ask();
    world.expire(id);
    const from = world.log.length;
    reprompt(world, id);
    const { toolCallId } = requestIn(world, id);
    expect(world.types(from)).toEqual(['interaction_closed', 'interaction_request']);
    expect(world.log.at(from)?.payload).toEqual({
      toolCallId,
      interactionId: id,
      reason: 'timeout',
      replacedBy: `${toolCallId}.2`,
    });
    expect(world.head.prompts.map(({ request }) => request.interactionId)).toEqual([`${toolCallId}.2`]);
  });

  test('[INT2] continues the numbers of other prompts of the call', () => {
    const world = new World();
    const id = world.ask();
    const { toolCallId } = requestIn(world, id);
    world.ask({}, toolCallId);
    world.answer(id);
    reprompt(world, id);
    expect(world.log.at(-1)?.payload).toMatchObject({ interactionId: `${toolCallId}.3`, replaces: id, attempt: 2 });
  });

  test('[INT11] of a call that has ended is refused and changes nothing', () => {
    const world = new World();
    const id = world.ask();
    world.answer(id);
    world.cancel();
    const { length } = world.log;
    expect(codeOf(reprompt(world, id))).toBe('closed');
    expect(world.log).toHaveLength(length);
  });
});

describe('pending', () => {
  test('[INT9] after a timeout the same prompt stays answerable', () => {
    const world = new World();
    const id = world.ask();
    world.expire(id);
    world.defer(id);
    expect(world.log.at(-1)).toMatchObject({
      type: 'interaction_pending',
      payload: { interactionId: id, message: 'later', expiresAt: new Date(world.now + 7 * day).toISOString() },
    });
    expect(world.promptOf(id)).toMatchObject({ state: 'pending', message: 'later' });
    expect(codeOf(world.answer(id))).toBe('accepted');
  });

  test('[INT9] after an answer the same prompt opens again under a new id, pending from the start', () => {
    const world = new World();
    const id = world.ask();
    world.answer(id, { action: 'deny', reason: 'later' });
    const from = world.log.length;
    world.defer(id);
    const { toolCallId, title, digest } = requestIn(world, id);
    expect(world.types(from)).toEqual(['interaction_request', 'interaction_pending']);
    const next = requestIn(world, `${toolCallId}.2`);
    expect(next).toMatchObject({ replaces: id, attempt: 2, digest });
    expect(next.title).toBe(title);
    expect(next).not.toHaveProperty('timeoutMs');
    expect(next).not.toHaveProperty('expiresAt');
    expect(world.promptOf(`${toolCallId}.2`)).toMatchObject({
      state: 'pending',
      expiresAt: new Date(world.now + 7 * day).toISOString(),
    });
  });

  test('[INT9] closes the expired prompt if nothing will follow', () => {
    const world = new World();
    const id = world.ask();
    world.expire(id);
    world.defer(id, false);
    expect(world.log.at(-1)).toMatchObject({
      type: 'interaction_closed',
      payload: { interactionId: id, reason: 'timeout' },
    });
  });

  test('[INT9] with nothing to follow an answered prompt stays as it is', () => {
    const world = new World();
    const id = world.ask();
    world.answer(id);
    const { length } = world.log;
    expect(codeOf(world.defer(id, false))).toBe('accepted');
    expect(world.log).toHaveLength(length);
  });

  test('[INT11] of a call that has ended is refused', () => {
    const world = new World();
    const id = world.ask();
    world.answer(id);
    world.cancel();
    expect(codeOf(world.defer(id))).toBe('closed');
  });
});
