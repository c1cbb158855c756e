import { describe, expect, test } from 'vitest';
import { actor, operator } from '../../test/support/samples.ts';
import { codeOf, World } from '../../test/support/world.ts';
import { limits } from '../basics/limits.ts';
import type { Command } from './command.ts';

function giveBack(
  world: World,
  toolCallId: string,
  returned: { result: string } | { error: { code: string; message: string } },
) {
  return world.do({ type: 'return', toolCallId, returned });
}

describe('a message', () => {
  test('[INT19] to an idle session starts a turn', () => {
    const world = new World();
    world.send('hello', 'm1');
    expect(world.log.map(({ type, payload }) => ({ type, payload }))).toEqual([
      { type: 'user_message', payload: { messageId: 'm1', text: 'hello', origin: 'user', from: actor() } },
      {
        type: 'turn_start',
        payload: { trigger: 'user', agent: 'demo', model: 'demo-1', owner: 'process', requesters: ['owner'] },
      },
    ]);
    expect(new Set(world.log.map(({ turnId }) => turnId)).size).toBe(1);
  });

  test('[INT19] waits while a turn runs', () => {
    const world = new World();
    world.send();
    world.send('two', 'm2');
    expect(world.log.at(-1)).toMatchObject({ type: 'message_queued', payload: { messageId: 'm2', text: 'two' } });
    expect(world.log.at(-1)).not.toHaveProperty('turnId');
    expect(world.head.queue).toMatchObject([{ messageId: 'm2', seq: 3 }]);
  });

  test('[INT19] is not blocked by a pending prompt', () => {
    const world = new World();
    const id = world.askPending();
    giveBack(world, world.requestOf(id)?.toolCallId ?? '', { result: 'x' });
    world.endTurn();
    world.send();
    expect(world.types().at(-1)).toBe('turn_start');
  });

  test('[INT19] can be edited in place while it waits', () => {
    const world = new World();
    world.send();
    world.send('two', 'm2');
    world.send('three', 'm3');
    world.accept({ type: 'edit_queued', messageId: 'm2', text: 'deux', by: actor(), principal: operator });
    expect(world.head.queue.map(({ text }) => text)).toEqual(['deux', 'three']);
    expect(world.log.at(-1)?.payload).toEqual({
      messageId: 'm2',
      text: 'deux',
      origin: 'user',
      from: actor(),
      isEdit: true,
    });
  });

  test('[INT19] can be removed while it waits', () => {
    const world = new World();
    world.send();
    world.send('two', 'm2');
    world.accept({ type: 'remove_queued', messageId: 'm2' });
    expect(world.log.at(-1)).toMatchObject({
      type: 'message_unqueued',
      payload: { messageId: 'm2', reason: 'removed' },
    });
    expect(world.head.queue).toEqual([]);
  });

  test('[INT19] can be neither edited nor removed once it was sent', () => {
    const world = new World();
    world.send('one', 'm1');
    for (const messageId of ['m1', 'nope']) {
      expect(codeOf(world.do({ type: 'edit_queued', messageId, text: 'x', by: actor(), principal: operator }))).toBe(
        'not_found',
      );
      expect(codeOf(world.do({ type: 'remove_queued', messageId }))).toBe('not_found');
    }
  });

  test(`[SEC6] ${limits.queuedMessages} messages may wait, no more`, () => {
    const world = new World();
    for (let count = 0; count <= limits.queuedMessages; count += 1) expect(codeOf(world.send())).toBe('accepted');
    expect(codeOf(world.send())).toBe('queue_full');
  });
});

describe('writing and returning', () => {
  test("[DUR7] a message's text and all its calls are one append", () => {
    const world = new World();
    world.send();
    const calls = ['c1', 'c2'].map(
      (toolCallId) => ({ toolCallId, toolName: 't', args: 1, authorised: { by: 'tool' } }) as const,
    );
    const blocks = [
      { kind: 'thinking', block: 0, text: 'hm' },
      { kind: 'text', block: 1, text: 'Hello' },
    ] as const;
    const turnId = world.head.turn?.turnId ?? '';
    const events = world.accept({ type: 'write', turnId, responseId: 'r1', blocks, calls });
    expect(events.map(({ type, payload }) => ({ type, payload }))).toEqual([
      { type: 'thinking_done', payload: { block: 0, text: 'hm' } },
      { type: 'assistant_done', payload: { block: 1, text: 'Hello' } },
      { type: 'tool_call', payload: calls[0] },
      { type: 'tool_call', payload: calls[1] },
    ]);
    expect(events.every((event) => event.turnId === turnId && event.responseId === 'r1')).toBe(true);
  });

  test('[INT11] an agent cannot write into a turn that is not running', () => {
    const world = new World();
    world.send();
    const turnId = world.head.turn?.turnId ?? '';
    world.cancel();
    const write = { type: 'write', responseId: 'r', blocks: [], calls: [] } as const;
    expect(codeOf(world.do({ ...write, turnId }))).toBe('closed');
    world.send();
    expect(codeOf(world.do({ ...write, turnId }))).toBe('closed');
  });

  test('[INT7] what the handler returns is the only result of its call', () => {
    const world = new World();
    const [call] = world.call();
    giveBack(world, call?.toolCallId ?? '', { result: 'done' });
    expect(world.log.at(-1)).toMatchObject({
      type: 'tool_result',
      payload: { toolCallId: call?.toolCallId, toolName: 'tool', result: 'done' },
    });
    expect(codeOf(giveBack(world, call?.toolCallId ?? '', { result: 'again' }))).toBe('closed');
    expect(world.eventsOf('tool_result')).toHaveLength(1);
  });

  test.each([
    ['a result', { result: 'x' }, 'cancelled'],
    ['an error', { error: { code: 'tool_error', message: 'x' } }, 'handler_error'],
  ] as const)(
    '[INT12] a handler that ends with %s closes the prompts it left, not the pending ones or its neighbours',
    (_, returned, reason) => {
      const world = new World();
      const pending = world.askPending();
      const toolCallId = world.requestOf(pending)?.toolCallId ?? '';
      const open = world.ask({}, toolCallId);
      const expired = world.ask({}, toolCallId);
      world.expire(expired);
      const neighbour = world.ask();
      const from = world.log.length;
      giveBack(world, toolCallId, returned);
      expect(
        world.log.slice(from).map(({ type, payload }) => [type, 'interactionId' in payload && payload.interactionId]),
      ).toEqual([
        ['interaction_closed', open],
        ['interaction_closed', expired],
        ['tool_result', false],
      ]);
      expect(world.past(open)?.settlement.payload).toMatchObject({ reason });
      expect(world.head.prompts.map(({ request }) => request.interactionId)).toEqual([pending, neighbour]);
    },
  );

  test('[DUR6] the prompts of a call whose tool no longer exists close as orphaned', () => {
    const world = new World();
    const id = world.ask();
    const toolCallId = world.requestOf(id)?.toolCallId ?? '';
    const error = { code: 'orphaned', message: 'The tool is gone.' };
    world.accept({ type: 'return', toolCallId, returned: { error }, isOrphaned: true });
    expect(world.past(id)?.settlement.payload).toMatchObject({ reason: 'orphaned' });
    expect(world.log.at(-1)?.payload).toMatchObject({ error });
  });
});

describe('resuming', () => {
  test('[DUR7] names the new owner of the same turn', () => {
    const world = new World();
    world.send();
    const { turn } = world.head;
    const events = world.accept({ type: 'resume', owner: 'next', isRewritten: false });
    expect(events).toMatchObject([{ type: 'turn_resumed', payload: { owner: 'next' }, turnId: turn?.turnId }]);
    expect(world.head.turn).toEqual({ ...turn, owner: 'next' });
  });

  test('[DUR7] announces that a message being written starts over', () => {
    const world = new World();
    world.send();
    const events = world.accept({ type: 'resume', owner: 'next', isRewritten: true });
    expect(events).toMatchObject([{ type: 'turn_resumed' }, { type: 'error', payload: { code: 'stream_restarted' } }]);
  });

  test('[DUR7] does nothing if no turn runs', () => {
    expect(new World().accept({ type: 'resume', owner: 'next', isRewritten: true })).toEqual([]);
  });
});

describe('cancel', () => {
  test('[INT11] is one append: text kept, prompts closed, results, messages returned, the end', () => {
    const world = new World();
    const open = world.ask();
    const expired = world.ask();
    world.expire(expired);
    world.call();
    world.send('waits', 'm2');
    const from = world.log.length;
    world.cancel([
      { kind: 'thinking', block: 0, text: 'hm' },
      { kind: 'text', block: 1, text: 'I was' },
      { kind: 'text', block: 2, text: '' },
    ]);
    const events = world.log.slice(from);
    expect(events.map(({ type }) => type)).toEqual([
      'assistant_done',
      'interaction_closed',
      'interaction_closed',
      'tool_result',
      'tool_result',
      'tool_result',
      'message_unqueued',
      'turn_end',
    ]);
    expect(events[0]).toMatchObject({
      payload: { block: 1, text: 'I was', interrupted: true },
      responseId: 'response',
    });
    for (const id of [open, expired]) expect(world.past(id)?.settlement.payload).toMatchObject({ reason: 'cancelled' });
    expect(world.eventsOf('tool_result').map(({ payload }) => payload.error?.code)).toEqual(Array(3).fill('cancelled'));
    expect(world.eventsOf('message_unqueued')[0]?.payload).toEqual({ messageId: 'm2', reason: 'returned' });
    expect(events.at(-1)?.payload).toEqual({ status: 'cancelled' });
    expect(world.head).toMatchObject({ turn: null, calls: [], prompts: [], queue: [] });
  });

  test("[INT11, INT19] reports the turn's usage so far", () => {
    const world = new World();
    world.send();
    const cancel = { type: 'cancel', responseId: undefined, streamed: [], usage: { tokens: 3 } } as const;
    world.accept({ ...cancel });
    expect(world.log.at(-1)?.payload).toEqual({ status: 'cancelled', usage: { tokens: 3 } });
  });

  test('[INT11] leaves pending prompts answerable, even those of a call that it ends', () => {
    const world = new World();
    const id = world.askPending();
    world.cancel();
    expect(world.head.calls).toEqual([]);
    expect(codeOf(world.answer(id))).toBe('accepted');
  });

  test('[INT11] without a turn is refused', () => {
    const world = new World();
    expect(codeOf(world.cancel())).toBe('no_turn');
    world.send();
    world.cancel();
    expect(codeOf(world.cancel())).toBe('no_turn');
  });

  test("[INT11] later commands of a closed call's handler are refused and change nothing", () => {
    const world = new World();
    const [call] = world.call();
    world.cancel();
    const before = world.head;
    expect(codeOf(giveBack(world, call?.toolCallId ?? '', { result: 'late' }))).toBe('closed');
    expect(world.head).toBe(before);
  });
});

describe('the end of a turn', () => {
  test('[INT19] promotes the next message in the same append, each to its own turn', () => {
    const world = new World();
    world.send();
    world.send('two', 'm2');
    world.send('three', 'm3');
    const from = world.log.length;
    world.endTurn();
    expect(world.types(from)).toEqual(['turn_end', 'user_message', 'turn_start']);
    expect(world.log.at(-2)?.payload).toEqual({ messageId: 'm2', text: 'two', origin: 'user', from: actor() });
    expect(world.head.queue.map(({ messageId }) => messageId)).toEqual(['m3']);
    expect(new Set(world.eventsOf('turn_start').map(({ turnId }) => turnId)).size).toBe(2);
  });

  test('[INT19] an edited message is promoted with its new text', () => {
    const world = new World();
    world.send();
    world.send('two', 'm2');
    world.accept({ type: 'edit_queued', messageId: 'm2', text: 'deux', by: actor(), principal: operator });
    world.endTurn();
    expect(world.log.at(-2)?.payload).toEqual({ messageId: 'm2', text: 'deux', origin: 'user', from: actor() });
  });

  test('[INT19] reports its usage', () => {
    const world = new World();
    world.send();
    const turnId = world.head.turn?.turnId ?? '';
    world.accept({ type: 'end_turn', turnId, status: 'completed', usage: { tokens: 3 } });
    expect(world.log.at(-1)?.payload).toEqual({ status: 'completed', usage: { tokens: 3 } });
  });

  test('[DUR7, INT19] of an error keeps the streamed text, marked as interrupted; thinking and blank blocks are dropped', () => {
    const world = new World();
    world.send();
    const from = world.log.length;
    const streamed = [
      { kind: 'thinking', block: 0, text: 'hm' },
      { kind: 'text', block: 1, text: 'I was' },
      { kind: 'text', block: 2, text: '' },
    ] as const;
    const error = { code: 'overloaded', message: 'The model is overloaded.' };
    const end = { type: 'end_turn', turnId: world.head.turn?.turnId ?? '', status: 'error', error } as const;
    world.accept({ ...end, usage: { tokens: 3 }, responseId: 'response', streamed });
    expect(world.log.slice(from)).toMatchObject([
      { type: 'assistant_done', payload: { block: 1, text: 'I was', interrupted: true }, responseId: 'response' },
      { type: 'turn_end', payload: { status: 'error', error, usage: { tokens: 3 } } },
    ]);
  });

  test('[INT3] of an error ends what is open and keeps what is pending', () => {
    const world = new World();
    const pending = world.askPending();
    const open = world.ask();
    const turnId = world.head.turn?.turnId ?? '';
    const error = { code: 'agent_error', message: 'The model is gone.' };
    world.accept({ type: 'end_turn', turnId, status: 'error', error });
    expect(world.log.at(-1)?.payload).toEqual({ status: 'error', error });
    expect(world.past(open)?.settlement.payload).toMatchObject({ reason: 'cancelled' });
    expect(world.head.calls).toEqual([]);
    expect(world.promptOf(pending).state).toBe('pending');
  });

  test.each<[string, Command | undefined, string]>([
    ['a person', { type: 'cancel', responseId: undefined, streamed: [] }, 'The turn was stopped by a person.'],
    ['an error', undefined, 'The turn ended with an error before this was done.'],
    ['the end of its session', { type: 'end_session' }, 'The session was deleted.'],
  ])('[INT11] by %s is stated in the results of the calls that it ends', (_, command, message) => {
    const world = new World();
    world.call();
    const turnId = world.head.turn?.turnId ?? '';
    world.accept(command ?? { type: 'end_turn', turnId, status: 'error' });
    expect(world.eventsOf('tool_result')[0]?.payload.error).toEqual({ code: 'cancelled', message });
  });

  test('[INT3] leaves no call open, even without an error', () => {
    const world = new World();
    const open = world.ask();
    const turnId = world.head.turn?.turnId ?? '';
    world.accept({ type: 'end_turn', turnId, status: 'error' });
    expect(world.head).toMatchObject({ turn: null, calls: [], prompts: [] });
    expect(world.settlementsOf(open)).toHaveLength(1);
  });

  test('[INT11] of a turn that is not running is refused', () => {
    const world = new World();
    expect(codeOf(world.endTurn())).toBe('closed');
    world.send();
    const end = { type: 'end_turn', turnId: 'another', status: 'completed' } as const;
    expect(codeOf(world.do(end))).toBe('closed');
  });
});

describe('the end of a session', () => {
  test('[OPS5] settles everything open, including pending prompts', () => {
    const world = new World();
    const pending = world.askPending();
    const open = world.ask();
    world.accept({ type: 'end_session' });
    for (const id of [pending, open])
      expect(world.past(id)?.settlement.payload).toMatchObject({ reason: 'session_ended' });
    expect(world.eventsOf('tool_result').map(({ payload }) => payload.error?.code)).toEqual(['cancelled', 'cancelled']);
    expect(world.log.at(-1)).toMatchObject({ type: 'turn_end', payload: { status: 'cancelled' } });
    expect(world.head).toMatchObject({ turn: null, calls: [], prompts: [] });
  });

  test('[OPS5] of an idle session settles its pending prompts and nothing else', () => {
    const world = new World();
    const id = world.askPending();
    giveBack(world, world.requestOf(id)?.toolCallId ?? '', { result: 'x' });
    world.endTurn();
    expect(world.accept({ type: 'end_session' }).map(({ type }) => type)).toEqual(['interaction_closed']);
  });
});

describe('events that are only recorded', () => {
  test('[EVT2] a change of the session is an event', () => {
    const world = new World();
    const [event] = world.accept({ type: 'change', change: { title: 'Trip', by: actor() } });
    expect(event).toMatchObject({ type: 'session_changed', payload: { title: 'Trip', by: actor() } });
  });

  test('[EVT2] a reported error is an event of its turn', () => {
    const world = new World();
    const error = { code: 'stream_restarted', message: 'again' };
    const [event] = world.accept({ type: 'report', error, turnId: 'turn' });
    expect(event).toMatchObject({ type: 'error', payload: error, turnId: 'turn' });
  });
});
