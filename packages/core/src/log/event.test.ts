import { describe, expect, test } from 'vitest';
import { World } from '../../test/support/world.ts';
import { nameInteraction, nameLateMessage } from '../basics/id.ts';
import {
  type ChatEvent,
  callKey,
  envelopeSchema,
  eventVersion,
  isKnownEvent,
  keyOf,
  messageKey,
  payloadSchemas,
  queuedKey,
  requestKey,
  resultKey,
  settlementKey,
} from './event.ts';

const world = new World();
const id = world.ask();
world.answer(id);
const [first] = world.log as [ChatEvent];

describe('the envelope', () => {
  test('[EVT1] of an event', () => {
    expect(envelopeSchema.parse(first)).toEqual(first);
    expect(first.v).toBe(eventVersion);
  });

  test.each<[string, object]>([
    ['no seq', { seq: undefined }],
    ['seq 0', { seq: 0 }],
    ['half a seq', { seq: 1.5 }],
    ['no id', { id: undefined }],
    ['no session', { sessionId: undefined }],
    ['no version', { v: undefined }],
    ['a local time', { timestamp: '2026-03-01 09:00' }],
    ['another zone', { timestamp: '2026-03-01T09:00:00+01:00' }],
    ['no payload', { payload: undefined }],
    ['a payload that is no object', { payload: 'x' }],
  ])('[EVT1] is refused with %s', (_, parts) => {
    expect(envelopeSchema.safeParse({ ...first, ...parts }).success).toBe(false);
  });

  test('[EVT5] accepts and keeps types and fields of later releases', () => {
    const later = { ...first, v: 9, type: 'weather', host: 'a', payload: { sky: { kept: true } } };
    expect(envelopeSchema.parse(later)).toEqual(later);
  });
});

describe('types', () => {
  test('[EVT2] of the contract are these', () => {
    expect(Object.keys(payloadSchemas).sort()).toEqual(
      (
        'user_message message_queued message_unqueued turn_start turn_resumed assistant_done thinking_done tool_call tool_result ' +
        'interaction_request interaction_response interaction_vote interaction_comment interaction_escalated interaction_expired interaction_pending interaction_closed callback_settled session_changed ' +
        'turn_end error'
      )
        .split(' ')
        .sort(),
    );
  });

  test.each(Object.keys(payloadSchemas))('[EVT5] %s is known', (type) => {
    expect(isKnownEvent({ type })).toBe(true);
  });

  test.each(['weather', '', '__proto__', 'constructor', 'toString'])('[EVT5] %j is not', (type) => {
    expect(isKnownEvent({ type })).toBe(false);
  });
});

describe('keys', () => {
  const keyIn = (type: ChatEvent['type'], payload: object) => keyOf({ ...first, type, payload } as ChatEvent);

  test('[INT4] an answer and a closing share one key, so a store takes only the first', () => {
    expect(keyIn('interaction_response', { interactionId: 'c.1' })).toBe(settlementKey('c.1'));
    expect(keyIn('interaction_closed', { interactionId: 'c.1' })).toBe(settlementKey('c.1'));
  });

  test('[FRM6] a message has a key by its id, queued or sent', () => {
    expect(keyIn('user_message', { messageId: 'm' })).toBe(messageKey('m'));
    expect(keyIn('message_queued', { messageId: 'm' })).toBe(queuedKey('m'));
  });

  test('[INT19] a message may be edited more than once', () => {
    expect(keyIn('message_queued', { messageId: 'm', isEdit: true })).toBeUndefined();
  });

  test('[INT7] a call and its result are each stored once', () => {
    expect(keyIn('tool_call', { toolCallId: 'c' })).toBe(callKey('c'));
    expect(keyIn('tool_result', { toolCallId: 'c' })).toBe(resultKey('c'));
  });

  test('[INT2] an interactionId is asked once', () => {
    expect(keyIn('interaction_request', { interactionId: 'c.1' })).toBe(requestKey('c.1'));
  });

  test.each(['turn_start', 'assistant_done', 'interaction_pending', 'error'] as const)(
    '[EVT1] %s may occur any number of times',
    (type) => {
      expect(keyIn(type, { interactionId: 'c.1' })).toBeUndefined();
    },
  );

  test('[INT4] keys of different kinds never collide', () => {
    const kinds = [messageKey, queuedKey, callKey, resultKey, requestKey, settlementKey];
    const all = kinds.map((name) => name('x'));
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('names', () => {
  test("[INT2] a prompt's name is its call and a number", () => {
    expect(nameInteraction('call', 3)).toBe('call.3');
  });

  test("[INT9] a late answer's message is named after its prompt", () => {
    expect(nameLateMessage('call.3')).toBe('late:call.3');
  });
});
