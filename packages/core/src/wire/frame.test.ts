import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { approvalDraft, requestFrom, sessionStart } from '../../test/support/samples.ts';
import { World } from '../../test/support/world.ts';
import { emptyHead } from '../log/head.ts';
import { clientFrameSchema, protocolVersion, refusedReplySchema, serverFrameSchema } from './frame.ts';

const sessionId = 'session_1';
const requestId = 'request';

const clientFrames: Record<string, object[]> = {
  hello: [
    { protocol: 1 },
    { protocol: 1, clientId: 'c', token: 't', label: 'Laptop', interaction: { supported: true, enabled: false } },
  ],
  subscribe: [{ sessionId }, { sessionId, requestId, cursor: { epoch: 'e', seq: 0 }, tail: 0 }],
  unsubscribe: [{ sessionId }],
  read_events: [{ sessionId, before: 1, limit: 1000 }],
  list_sessions: [{}, { archived: true }, { before: '2026-03-01T09:00:00.000Z', query: 'trip', limit: 1 }],
  create_session: [{}, { requestId, title: 'Trip', agent: 'demo', permissionMode: 'plan' }],
  update_session: [
    { sessionId },
    { sessionId, pinned: true, archived: false },
    { sessionId, title: 'Trip', agent: 'demo', permissionMode: 'bypassPermissions' },
  ],
  delete_session: [{ sessionId }],
  user_message: [
    { sessionId, messageId: 'm', text: 'hello' },
    { sessionId, messageId: 'm', text: '', files: [{ fileId: 'f' }] },
  ],
  deny_open: [{ sessionId, messageId: 'm', text: 'Stop.' }],
  edit_queued: [{ sessionId, messageId: 'm', text: 'hello' }],
  remove_queued: [{ sessionId, messageId: 'late:call.1' }],
  cancel_turn: [{ sessionId }],
  tool_interaction_response: [
    { sessionId, callId: 'c', interactionId: 'c.1', action: 'cancel' },
    {
      sessionId,
      callId: 'c',
      interactionId: 'c.1',
      answerId: 'a',
      digest: 'd',
      action: 'approve',
      approvalScope: 'always',
      editedArgs: [1],
    },
    {
      sessionId,
      callId: 'c',
      interactionId: 'c.1',
      action: 'submit',
      input: { city: 'Bern', many: ['a', { other: 'b' }] },
    },
    { sessionId, callId: 'c', interactionId: 'c.1', action: 'deny', reason: 'no' },
  ],
  set_interaction_mode: [{ enabled: true }],
  activity: [{ visible: true }],
  draft: [{ sessionId, interactionId: 'c.1', values: { a: 1 } }],
  claim_interaction: [
    { sessionId, interactionId: 'c.1' },
    { sessionId, interactionId: 'c.1', release: true },
  ],
  comment_interaction: [
    { sessionId, interactionId: 'c.1', commentId: 'k-1', text: 'Why this branch?' },
    { sessionId, interactionId: 'c.1', commentId: 'k-2', text: 'It is the release.', replyTo: 'k-1' },
  ],
  reply_comment: [{ sessionId, interactionId: 'c.1', commentId: 'k-2', text: 'It is due.', replyTo: 'k-1' }],
  list_grants: [{}, { sessionId, limit: 100 }],
  list_suggestions: [{ sessionId }, { sessionId, interactionId: 'c.1' }],
  decide_suggestion: [
    { sessionId, suggestionId: 's', action: 'allow', interactionId: 'c.1', approvalScope: 'always' },
    { sessionId, suggestionId: 's', action: 'decline' },
  ],
  call_tool: [
    { channel: 'nightly', callId: 'ship-1', toolName: 'ask_human', args: { question: 'Ship it?' } },
    { sessionId, callId: 'x'.repeat(128), toolName: 'ask_human', args: {}, from: { name: 'CI', detail: 'main' } },
  ],
  withdraw_call: [
    { sessionId, toolCallId: 'c' },
    { sessionId, toolCallId: 'c', note: 'No more.' },
  ],
  list_open: [{}, { before: 't-1.1', limit: 100 }],
  revoke_grant: [{ grantId: 'g' }],
  remove_reviewer: [
    { sessionId, toolName: 'search', scope: 'session' },
    { sessionId, toolName: 'search', scope: 'always' },
  ],
  ping: [{}],
};

const world = new World();
world.ask();
const time = new Date(sessionStart).toISOString();
const session = {
  id: sessionId,
  title: 'Trip',
  agent: 'demo',
  permissionMode: 'default',
  status: 'waiting',
  openCount: 1,
  createdAt: time,
  updatedAt: time,
  seq: 4,
};
const interaction = requestFrom(approvalDraft);
const stream = { turnId: 't', responseId: 'r', block: 0, kind: 'text', offset: 0, text: 'Hel' };

const serverFrames: Record<string, object[]> = {
  welcome: [
    {
      protocol: 1,
      connectionId: 'c',
      epoch: 'e',
      now: time,
      server: { name: 'parley', version: '0.1.0' },
      principal: { id: 'owner', role: 'operator' },
      agents: [{ name: 'demo', description: 'scripted' }, { name: 'other' }],
      sessions: [session],
      openTotal: 0,
      open: [
        { sessionId, interaction, pending: true },
        { sessionId, interaction },
      ],
      limits: { frameBytes: 262144 },
    },
  ],
  snapshot: [{ sessionId, epoch: 'e', seq: 4, session, head: emptyHead, streams: [stream] }],
  chat_events: [{ sessionId, events: world.log }],
  live: [{ sessionId, seq: 4 }],
  chat_event: [{ sessionId, event: world.log[0] }],
  stream: [
    { sessionId, ...stream },
    { sessionId, ...stream, kind: 'tool_output', toolCallId: 'c' },
  ],
  session_created: [{ session }],
  session_updated: [{ session }],
  session_deleted: [{ session }],
  interaction_opened: [
    { sessionId, interaction },
    { sessionId, interaction, votes: { approve: 1, deny: 0 } },
  ],
  interaction_voted: [{ sessionId, interactionId: 'c.1', votes: { approve: 1, deny: 0 } }],
  interaction_commented: [
    {
      sessionId,
      interactionId: 'c.1',
      comments: { ...{ count: 2, seq: 7, at: '2026-03-01T09:00:00.000Z' }, person: 'p-ann', by: 'Ann', text: 'Why?' },
    },
  ],
  call_comment: [
    {
      ...{ sessionId, toolCallId: 'c', interactionId: 'c.1', commentId: 'k-1', text: 'Why?' },
      ...{ by: { principal: 'p-ann', name: 'Ann' }, at: '2026-03-01T09:00:00.000Z' },
    },
  ],
  call_result: [
    { sessionId, toolCallId: 'c', result: null },
    { sessionId, toolCallId: 'c', error: { code: 'withdrawn', message: 'No.' } },
  ],
  grants_changed: [{}, { sessionId }],
  interaction_settled: ['answered', 'timeout', 'cancelled', 'superseded', 'orphaned', 'session_ended', 'withdrawn'].map(
    (status) => ({
      sessionId,
      interactionId: 'c.1',
      status,
    }),
  ),
  presence: [
    { sessionId, connections: 2, interactive: 1, enabled: 0 },
    { sessionId, connections: 2, interactive: 1, enabled: 0, people: [{ principal: 'grace', name: 'Grace' }] },
  ],
  draft: [{ sessionId, interactionId: 'c.1', values: { a: null } }],
  claimed: [
    {
      sessionId,
      interactionId: 'c.1',
      by: { clientId: 't', connectionId: 'l', principal: 'p', transport: 'ws' },
      until: '2026-03-01T09:05:00.000Z',
    },
  ],
  reply: [
    { requestId, ok: true },
    { requestId, ok: true, result: { seq: 7 } },
  ],
  reset: [{ sessionId, epoch: 'e' }],
  pong: [{ now: time }],
  error: [
    { code: 'bad_frame', message: 'No.' },
    { code: 'bad_frame', message: 'No.', details: [1] },
  ],
};

const each = (frames: Record<string, object[]>) =>
  Object.entries(frames).flatMap(([type, bodies]) => bodies.map((body) => ({ type, ...body })));
const typesOf = (schema: { def: { options: readonly { shape: { type: { def: unknown } } }[] } }) =>
  schema.def.options.flatMap(({ shape }) => (shape.type.def as { values: string[] }).values);

describe("a client's frame", () => {
  test('[FRM1] is a member of one union, which has these types', () => {
    expect(typesOf(clientFrameSchema as never).sort()).toEqual(Object.keys(clientFrames).sort());
  });

  test.each(each(clientFrames))('[FRM1] is understood: %j', (frame) => {
    expect(clientFrameSchema.parse(frame)).toEqual(frame);
  });

  test.each(each(clientFrames))('[FRM1] may have unknown fields: %j', (frame) => {
    expect(clientFrameSchema.parse({ ...frame, later: { field: 1 } })).toMatchObject(frame);
  });

  test.each(each(clientFrames).filter(({ type }) => type !== 'hello' && type !== 'ping'))(
    '[FRM1] may carry a requestId: $type',
    (frame) => {
      expect(clientFrameSchema.parse({ ...frame, requestId: 'r1' })).toMatchObject({ requestId: 'r1' });
    },
  );

  test.each<[string, unknown]>([
    ['no object', 'hello'],
    ['null', null],
    ['a list', [{ type: 'ping' }]],
    ['no type', { sessionId }],
    ['an unknown type', { type: 'shout' }],
    ["a server's type", { type: 'pong', now: time }],
    ['the name of a prototype', { type: '__proto__' }],
    ['a greeting without protocol', { type: 'hello' }],
    ['a protocol that is no whole number', { type: 'hello', protocol: 1.5 }],
    ['a protocol in words', { type: 'hello', protocol: '1' }],
    ['a label of 201 characters', { type: 'hello', protocol: 1, label: 'x'.repeat(201) }],
    ['half an interaction', { type: 'hello', protocol: 1, interaction: { supported: true } }],
    ['no session', { type: 'subscribe' }],
    ['a path for a session', { type: 'subscribe', sessionId: '../x' }],
    ['an empty session', { type: 'subscribe', sessionId: '' }],
    ['a session of 65 characters', { type: 'subscribe', sessionId: 'x'.repeat(65) }],
    ['a session that ends in a line', { type: 'subscribe', sessionId: 'x\n' }],
    ['a cursor before the log', { type: 'subscribe', sessionId, cursor: { epoch: 'e', seq: -1 } }],
    ['a cursor without its epoch', { type: 'subscribe', sessionId, cursor: { seq: 1 } }],
    ['a negative tail', { type: 'subscribe', sessionId, tail: -1 }],
    ['a page before nothing', { type: 'read_events', sessionId, before: 0, limit: 1 }],
    ['a page of nothing', { type: 'read_events', sessionId, before: 1, limit: 0 }],
    ['a page of 1001', { type: 'read_events', sessionId, before: 1, limit: 1001 }],
    ['an unknown mode', { type: 'create_session', permissionMode: 'yolo' }],
    ['an empty title', { type: 'create_session', title: '' }],
    ['a message without its id', { type: 'user_message', sessionId, text: 'x' }],
    ['an empty id', { type: 'user_message', sessionId, messageId: '', text: 'x' }],
    ['an id of 201 characters', { type: 'user_message', sessionId, messageId: 'x'.repeat(201), text: 'x' }],
    ['an id with a NUL', { type: 'user_message', sessionId, messageId: 'a\u0000b', text: 'x' }],
    ['half of a character for a callId', { type: 'call_tool', callId: '\ud800', toolName: 'ask_human', args: {} }],
    ['a title that ends in half of a character', { type: 'create_session', title: 'Trip \ud83d' }],
    ['a requestId that is no text', { type: 'cancel_turn', sessionId, requestId: 1 }],
    [
      'an unknown action',
      { type: 'tool_interaction_response', sessionId, callId: 'c', interactionId: 'c.1', action: 'yes' },
    ],
    ['no action', { type: 'tool_interaction_response', sessionId, callId: 'c', interactionId: 'c.1' }],
    [
      'an unknown scope',
      {
        type: 'tool_interaction_response',
        sessionId,
        callId: 'c',
        interactionId: 'c.1',
        action: 'approve',
        approvalScope: 'ever',
      },
    ],
    [
      'input that is a list',
      { type: 'tool_interaction_response', sessionId, callId: 'c', interactionId: 'c.1', action: 'submit', input: [] },
    ],
    ['a mode in words', { type: 'set_interaction_mode', enabled: 'yes' }],
    ['a draft without values', { type: 'draft', sessionId, interactionId: 'c.1' }],
    ['no grant', { type: 'revoke_grant' }],
    ['a reviewer for once', { type: 'remove_reviewer', sessionId, toolName: 't', scope: 'once' }],
  ])('[FRM1] is refused with %s', (_, frame) => {
    expect(clientFrameSchema.safeParse(frame).success).toBe(false);
  });

  test("[INT9] cannot use the reserved id of a late answer's message", () => {
    const frame = { type: 'user_message', sessionId, messageId: 'late:call.1', text: 'x' };
    expect(clientFrameSchema.safeParse(frame).success).toBe(false);
    expect(clientFrameSchema.safeParse({ ...frame, messageId: 'later' }).success).toBe(true);
  });

  test.each(['comment_interaction', 'reply_comment'] as const)(
    '[REV4] %s cannot use the reserved id of a reply by a tool',
    (type) => {
      const frame = { type, ...clientFrames[type]?.[0], commentId: 'reply:e-1' };
      expect(clientFrameSchema.safeParse(frame).success).toBe(false);
      expect(clientFrameSchema.safeParse({ ...frame, commentId: 'replies' }).success).toBe(true);
    },
  );

  test('[FRM1] any input is parsed or refused without an exception, and never reaches a prototype', () => {
    const type = fc.constantFrom(...Object.keys(clientFrames));
    const key = fc.constantFrom('sessionId', 'input', 'values', '__proto__', 'constructor', 'messageId', 'requestId');
    fc.assert(
      fc.property(type, fc.array(fc.tuple(key, fc.jsonValue())), (name, entries) => {
        clientFrameSchema.safeParse({ ...Object.fromEntries(entries), type: name });
        expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
      }),
    );
    const values = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');
    const draft = clientFrameSchema.parse({ type: 'draft', sessionId, interactionId: 'c.1', values });
    expect(draft).toMatchObject({ values: { a: 1 } });
    expect((draft as { values: { polluted?: unknown } }).values.polluted).toBeUndefined();
  });

  test('[FRM2] the protocol is version 1', () => {
    expect(protocolVersion).toBe(1);
  });
});

describe("a server's frame", () => {
  test('[FRM1] is a member of one union, which has these types', () => {
    expect(typesOf(serverFrameSchema as never).sort()).toEqual(Object.keys(serverFrames).sort());
  });

  test.each(each(serverFrames))('[FRM1] is understood: $type', (frame) => {
    expect(serverFrameSchema.parse(frame)).toEqual(frame);
  });

  test.each(each(serverFrames))('[FRM1] keeps unknown fields: $type', (frame) => {
    expect(serverFrameSchema.parse({ ...frame, later: 1 })).toEqual({ ...frame, later: 1 });
  });

  test('[FRM1] a refusal is a reply with a code and a sentence', () => {
    const reply = {
      type: 'reply',
      requestId,
      ok: false,
      error: { code: 'closed', message: 'No.', details: { reason: 'timeout' } },
    };
    expect(refusedReplySchema.parse(reply)).toEqual(reply);
    expect(serverFrameSchema.safeParse(reply).success).toBe(false);
    expect(refusedReplySchema.safeParse({ ...reply, error: { code: 'closed' } }).success).toBe(false);
    expect(refusedReplySchema.safeParse({ ...reply, ok: true }).success).toBe(false);
  });

  test.each<[string, unknown]>([
    ['a time that is no instant', { type: 'pong', now: 'now' }],
    ['an event without seq', { type: 'chat_event', sessionId, event: { ...world.log[0], seq: undefined } }],
    ['an event before the log', { type: 'chat_event', sessionId, event: { ...world.log[0], seq: 0 } }],
    ['an unknown settlement', { type: 'interaction_settled', sessionId, interactionId: 'c.1', status: 'lost' }],
    ['a session in an unknown state', { type: 'session_updated', session: { ...session, status: 'asleep' } }],
    ['a session without its count', { type: 'session_updated', session: { ...session, openCount: undefined } }],
  ])('[FRM1] is refused with %s', (_, frame) => {
    expect(serverFrameSchema.safeParse(frame).success).toBe(false);
  });

  test('[EVT5] keeps events of unknown types and unknown fields of known ones', () => {
    const event = { ...world.log[0], type: 'weather', payload: { sky: { colour: 'grey' } }, host: 'a' };
    expect(serverFrameSchema.parse({ type: 'chat_event', sessionId, event })).toEqual({
      type: 'chat_event',
      sessionId,
      event,
    });
  });
});
