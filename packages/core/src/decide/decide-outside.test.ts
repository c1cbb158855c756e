import { describe, expect, test } from 'vitest';
import { actor, approvalDraft, inputDraft, operator } from '../../test/support/samples.ts';
import { codeOf, World } from '../../test/support/world.ts';
import { outsideAgent } from '../log/outside.ts';
import type { Actor } from '../prompt/interaction.ts';
import type { Principal } from '../prompt/role.ts';

const program: Actor = { ...actor('program'), principal: 'ci', owner: 'ann', role: 'asker' };
const asker: Principal = { id: 'ci', owner: 'ann', role: 'asker' };

/** A session in which an outside program asks. */
class Outside extends World {
  override agent = outsideAgent;

  begin(by = program): string {
    const toolCallId = this.name('call');
    this.accept({ type: 'call', call: { toolCallId, toolName: 'tool', args: {}, authorised: { by: 'tool' }, by } });
    return toolCallId;
  }

  finish(toolCallId: string): readonly string[] {
    return this.accept({ type: 'return', toolCallId, returned: { result: null } }).map(({ type }) => type);
  }

  withdraw(toolCallId: string, principal = asker, note?: string) {
    return this.do({ type: 'withdraw', toolCallId, principal, note });
  }
}

describe('a call from outside', () => {
  test('[ASK1] the first starts a turn, the last result ends it', () => {
    const world = new Outside();
    const [first, second] = [world.begin(), world.begin()];
    expect(world.log.map(({ type }) => type)).toEqual(['turn_start', 'tool_call', 'tool_call']);
    expect(new Set(world.log.map(({ turnId }) => turnId)).size).toBe(1);
    expect(world.finish(first)).toEqual(['tool_result']);
    expect(world.finish(second)).toEqual(['tool_result', 'turn_end']);
    expect(world.head.turn).toBeNull();
  });

  test('[ASK1] an agent’s session refuses it', () => {
    const world = new World();
    const call = { toolCallId: 'call', toolName: 'tool', args: {}, authorised: { by: 'tool' }, by: program } as const;
    expect(codeOf(world.do({ type: 'call', call }))).toBe('not_supported');
  });

  test('[TEAM2] every caller is a requester, by owner, each once', () => {
    const world = new Outside();
    world.begin();
    world.begin({ ...program, principal: 'other-token' });
    world.begin(actor());
    expect(world.head.turn?.requesters).toEqual(['ann', 'owner']);
  });

  test('[ASK1] an outside session takes no messages, and only its title can change', () => {
    const world = new Outside();
    expect(codeOf(world.send())).toBe('not_supported');
    const by = actor();
    expect(codeOf(world.do({ type: 'change', change: { agent: 'demo', by } }))).toBe('not_supported');
    expect(codeOf(world.do({ type: 'change', change: { permissionMode: 'plan', by } }))).toBe('not_supported');
    expect(codeOf(world.do({ type: 'change', change: { title: 'Builds', by } }))).toBe('accepted');
  });

  test('[ASK1] a late answer’s message does not start or wait for a turn', () => {
    const world = new Outside();
    const toolCallId = world.begin();
    const id = world.askPending({ ...inputDraft, toolCallId });
    world.begin();
    const submit = { action: 'submit', input: { city: 'Bern', pin: '1' } } as const;
    const events = world.accept(world.answerCommand(id, submit));
    expect(events.map(({ type }) => type)).toEqual(['interaction_response', 'user_message']);
    expect(world.head).toMatchObject({ lateAnswers: [], queue: [] });
  });
});

describe('a withdrawal', () => {
  test('[ASK4] closes what is open, with its note, and ends the call', () => {
    const world = new Outside();
    const toolCallId = world.begin();
    const id = world.ask({}, toolCallId);
    expect(codeOf(world.withdraw(toolCallId, asker, 'Too late.'))).toBe('accepted');
    expect(world.log.slice(-3)).toMatchObject([
      { type: 'interaction_closed', payload: { interactionId: id, reason: 'withdrawn', note: 'Too late.' } },
      { type: 'tool_result', payload: { toolCallId, error: { code: 'withdrawn', message: 'Too late.' } } },
      { type: 'turn_end', payload: { status: 'completed' } },
    ]);
  });

  test('[ASK4] comes too late once the call is answered, even before its result is stored', () => {
    const world = new Outside();
    const toolCallId = world.begin();
    world.answer(world.ask({}, toolCallId));
    expect(codeOf(world.withdraw(toolCallId))).toBe('closed');
    world.finish(toolCallId);
    expect(codeOf(world.withdraw(toolCallId))).toBe('closed');
  });

  test('[ASK4] comes too late if the gate let the call run', () => {
    const world = new Outside();
    const toolCallId = world.begin();
    const gate = world.accept({ type: 'ask', draft: { ...approvalDraft, toolCallId }, isGate: true });
    world.answer(`${toolCallId}.0`);
    expect(gate[0]?.payload).toMatchObject({ interactionId: `${toolCallId}.0` });
    expect(codeOf(world.withdraw(toolCallId))).toBe('closed');
  });

  test('[ASK4] works if nothing was asked yet, or if the prompt expired', () => {
    const world = new Outside();
    const [silent, late] = [world.begin(), world.begin()];
    world.expire(world.ask({}, late));
    expect(codeOf(world.withdraw(silent))).toBe('accepted');
    expect(codeOf(world.withdraw(late))).toBe('accepted');
  });

  test('[ASK4] also closes pending prompts', () => {
    const world = new Outside();
    const toolCallId = world.begin();
    const id = world.ask(inputDraft, toolCallId);
    world.expire(id);
    world.defer(id);
    expect(codeOf(world.withdraw(toolCallId))).toBe('accepted');
    expect(world.log).toContainEqual(
      expect.objectContaining({
        type: 'interaction_closed',
        payload: expect.objectContaining({ interactionId: id, reason: 'withdrawn' }),
      }),
    );
    expect(world.head.prompts).toEqual([]);
  });

  test('[ASK4] is allowed to the caller and to operators, and only for outside calls', () => {
    const world = new Outside();
    const toolCallId = world.begin();
    expect(codeOf(world.withdraw(toolCallId, { id: 'other', role: 'asker' }))).toBe('forbidden');
    expect(codeOf(world.withdraw(toolCallId, { id: 'other', role: 'responder' }))).toBe('forbidden');
    expect(codeOf(world.withdraw(toolCallId, operator))).toBe('accepted');
    const inside = new World();
    const [call] = inside.call();
    const command = { type: 'withdraw', toolCallId: call?.toolCallId ?? '', principal: operator } as const;
    expect(codeOf(inside.do(command))).toBe('not_supported');
  });
});
