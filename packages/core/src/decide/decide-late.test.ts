import { describe, expect, test } from 'vitest';
import { actor, inputDraft, operator } from '../../test/support/samples.ts';
import { codeOf, World } from '../../test/support/world.ts';
import type { InteractionId } from '../basics/id.ts';

/** A pending prompt of a call that continued and ended with its turn: the session is idle. */
function idleWithPending(): { world: World; id: InteractionId } {
  const world = new World();
  const id = world.askPending(inputDraft);
  const [call] = world.head.calls;
  world.accept({ type: 'return', toolCallId: call?.toolCallId ?? '', returned: { result: 'queued' } });
  world.endTurn();
  return { world, id };
}

const submit = { action: 'submit', input: { city: 'Bern', pin: '1' }, by: actor('late') } as const;

describe('a late answer', () => {
  test('[INT9] in an idle session is one append of answer, message and turn', () => {
    const { world, id } = idleWithPending();
    const events = world.accept(world.answerCommand(id, submit));
    expect(events.map(({ type }) => type)).toEqual(['interaction_response', 'user_message', 'turn_start']);
    expect(events[0]?.payload).toMatchObject({ late: true });
    expect(events[1]?.payload).toEqual({
      messageId: `late:${id}`,
      text: 'Where to?\nCity: Bern\nPIN: ••••',
      origin: 'interaction',
      interactionId: id,
      from: actor('late'),
    });
    expect(events[2]?.payload).toMatchObject({ trigger: 'interaction', agent: 'demo' });
    expect(world.head).toMatchObject({ prompts: [], lateAnswers: [], queue: [] });
  });

  test('[INT9] while a turn runs is one append of answer and queued message', () => {
    const { world, id } = idleWithPending();
    world.send();
    const events = world.accept(world.answerCommand(id, submit));
    expect(events.map(({ type }) => type)).toEqual(['interaction_response', 'message_queued']);
    expect(world.head.queue).toMatchObject([{ messageId: `late:${id}`, origin: 'interaction' }]);
  });

  test('[INT9] in its own turn is queued too', () => {
    const world = new World();
    const id = world.askPending();
    expect(world.accept(world.answerCommand(id)).map(({ type }) => type)).toEqual([
      'interaction_response',
      'message_queued',
    ]);
  });

  test('[INT9] a late cancel settles the prompt and sends the agent nothing', () => {
    const { world, id } = idleWithPending();
    const events = world.accept(world.answerCommand(id, { action: 'cancel' }));
    expect(events.map(({ type }) => type)).toEqual(['interaction_response']);
    expect(world.head.lateAnswers).toEqual([]);
  });

  test('[INT9] a late denial becomes a message like any answer', () => {
    const world = new World();
    const id = world.askPending();
    const [, message] = world.accept(world.answerCommand(id, { action: 'deny', reason: 'not now' }));
    expect(message?.payload).toMatchObject({ text: 'Allow "tool"?\nDenied: not now' });
  });

  test('[INT9] an answer in time does not become a message and is not marked late', () => {
    const world = new World();
    const events = world.accept(world.answerCommand(world.ask()));
    expect(events.map(({ type }) => type)).toEqual(['interaction_response']);
    expect(events[0]?.payload).not.toHaveProperty('late');
  });
});

describe('a late answer with its own hook', () => {
  function claimed(): { world: World; id: InteractionId } {
    const { world, id } = idleWithPending();
    world.accept(world.answerCommand(id, { ...submit, hasLateHook: true }));
    return { world, id };
  }

  test("[INT9] waits for its hook's text", () => {
    const { world, id } = claimed();
    expect(world.types().at(-1)).toBe('interaction_response');
    expect(world.head.lateAnswers).toMatchObject([{ request: { interactionId: id }, response: { late: true } }]);
  });

  test('[INT9] gets its message exactly once, whoever writes it first', () => {
    const { world, id } = claimed();
    const follow = { type: 'follow_up', interactionId: id, text: 'He said Bern.' } as const;
    const events = world.accept({ ...follow });
    expect(events.map(({ type }) => type)).toEqual(['user_message', 'turn_start']);
    expect(events[0]?.payload).toEqual({
      messageId: `late:${id}`,
      text: 'He said Bern.',
      origin: 'interaction',
      interactionId: id,
      from: actor('late'),
    });
    expect(world.accept({ ...follow, text: 'Too late.' })).toEqual([]);
    expect(world.head.lateAnswers).toEqual([]);
  });

  test('[INT9] is queued while a turn runs, and only once', () => {
    const { world, id } = claimed();
    world.send();
    const follow = { type: 'follow_up', interactionId: id, text: 'Bern.' } as const;
    expect(world.accept({ ...follow }).map(({ type }) => type)).toEqual(['message_queued']);
    expect(world.accept({ ...follow })).toEqual([]);
  });

  test('[INT9] is still due after a cancelled turn', () => {
    const { world, id } = claimed();
    world.send();
    world.cancel();
    expect(world.head.lateAnswers).toMatchObject([{ request: { interactionId: id } }]);
  });

  test('[INT9] a prompt that nobody answered late has no follow-up', () => {
    const { world, id } = idleWithPending();
    expect(world.accept({ type: 'follow_up', interactionId: id, text: 'x' })).toEqual([]);
  });
});

describe('the message of a late answer in the queue', () => {
  test('[INT9, INT19] can be neither edited nor removed, because it records what was answered', () => {
    const { world, id } = idleWithPending();
    world.send();
    world.accept(world.answerCommand(id, submit));
    const messageId = `late:${id}`;
    expect(codeOf(world.do({ type: 'edit_queued', messageId, text: 'forged', by: actor(), principal: operator }))).toBe(
      'not_found',
    );
    expect(codeOf(world.do({ type: 'remove_queued', messageId }))).toBe('not_found');
    expect(world.head.queue).toMatchObject([{ messageId }]);
  });

  test('[INT11] is not returned when the turn is cancelled, but starts the next one', () => {
    const { world, id } = idleWithPending();
    world.send();
    world.send('typed meanwhile');
    world.answer(id, submit);
    world.send('typed after');
    const from = world.log.length;
    world.cancel();
    expect(world.types(from)).toEqual([
      'message_unqueued',
      'message_unqueued',
      'turn_end',
      'user_message',
      'turn_start',
    ]);
    expect(world.log.at(-2)?.payload).toMatchObject({ messageId: `late:${id}`, origin: 'interaction' });
    expect(world.head.queue).toEqual([]);
  });

  test('[INT9] is promoted in its order', () => {
    const { world, id } = idleWithPending();
    world.send();
    world.answer(id, submit);
    world.send('after');
    world.endTurn();
    expect(world.log.at(-2)?.payload).toMatchObject({ messageId: `late:${id}` });
    expect(codeOf(world.endTurn())).toBe('accepted');
    expect(world.log.at(-2)?.payload).toMatchObject({ text: 'after' });
  });
});
