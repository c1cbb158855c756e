import {
  callTool,
  type FakeBlock,
  type FakeFault,
  type FakeReply,
  failWith,
  say,
  think,
} from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { assistant, called, result, startModelServer, useModelServer, user } from '../support/model-server.ts';

const model = useModelServer();

const soon = { 'retry-after-ms': '1' };
const cutCall: FakeBlock = { type: 'tool_use', id: 'cut', name: 'echo', input: {}, json: '{"n": ' };
const cut = (fault: FakeFault): FakeReply => ({ content: [think('Hm.'), say('One two three four.')], fault });

test.each<[string, FakeReply, string]>([
  ['429', failWith(429, 'rate_limit_error', { 'retry-after': '0' }), 'rate_limited'],
  ['529', failWith(529, 'overloaded_error', soon), 'overloaded'],
  ['500', failWith(500, 'api_error', soon), 'api_error'],
  ['an error event', cut({ kind: 'error', after: 4 }), 'overloaded'],
  ['a dropped connection', cut({ kind: 'drop', after: 4 }), 'connection_lost'],
  ['a stream without an end', cut({ kind: 'end', after: 4 }), 'connection_lost'],
  ['arguments that are no JSON', { content: [cutCall] }, 'invalid_call'],
])(
  '[AGT2, DUR7] %s: the message starts over, the transcript says why, and nothing of the first attempt is left',
  async (...row) => {
    const [, reply, code] = row;
    await model.ask('Count', reply, { content: [say('One two three.')] });
    expect(await model.end()).toMatchObject({ status: 'completed' });
    expect((await model.request(2)).body).toEqual((await model.request(1)).body);
    expect(model.payloads('error')).toEqual([
      { code, message: expect.stringMatching(/Trying again in \d s \(2 of 5\)\.$/) },
    ]);
    expect(model.payloads('thinking_done', 'assistant_done', 'tool_call')).toEqual([
      { block: 0, text: 'One two three.' },
    ]);
  },
);

test('[AGT2, EVT4] an error discards what a tab saw of a failed attempt, and the next attempt streams from the start', async () => {
  await model.ask('Count', cut({ kind: 'stall', after: 4 }), cut({ kind: 'stall', after: 3 }));
  await model.streamed('text', 'One two ');
  const first = await model.request(1);
  model.api.drop();
  await first.closed;
  const { seq } = await model.journey.event('error');
  await model.request(2);
  const { tab } = model.journey;
  const after = tab.frames.findIndex((frame) => frame.type === 'chat_event' && frame.event.seq === seq);
  for (const [block, kind] of (['thinking', 'text'] as const).entries()) {
    const piece = await tab.until((frame) => frame.type === 'stream' && frame.kind === kind, after);
    expect(piece).toMatchObject({ block, offset: 0, text: kind === 'text' ? 'One ' : 'Hm.' });
  }
  model.api.release();
  expect(await model.end()).toMatchObject({ status: 'completed' });
});

test.each<[string, FakeReply, { code: string; message: unknown }]>([
  [
    'a key that is refused',
    failWith(401, 'authentication_error'),
    { code: 'unauthorised', message: expect.anything() },
  ],
  [
    'a request that is refused',
    failWith(400, 'invalid_request_error', {}, 'thinking: not with this model'),
    { code: 'invalid_request', message: expect.stringContaining('(400): thinking: not with this model') },
  ],
  [
    'a model that is not there',
    failWith(404, 'not_found_error', {}, 'model: claude-test'),
    { code: 'invalid_request', message: expect.stringContaining('(404): model: claude-test') },
  ],
  [
    'a prompt that is too long',
    failWith(400, 'invalid_request_error', {}, 'prompt is too long: 208310 tokens > 200000 maximum'),
    { code: 'context_too_long', message: 'The session is too long for the model: start a new one.' },
  ],
  [
    'a request that is too large',
    failWith(413, 'request_too_large'),
    { code: 'context_too_long', message: expect.anything() },
  ],
  [
    'a limit of an hour',
    failWith(429, 'rate_limit_error', { 'retry-after': '3600' }),
    { code: 'rate_limited', message: expect.stringMatching(/Come back at \d{4}-/) },
  ],
  [
    'a server that asks not to be asked again',
    failWith(500, 'api_error', { 'x-should-retry': 'false' }),
    { code: 'api_error', message: expect.anything() },
  ],
])('[AGT2] %s ends the turn with its code, after one request', async (_, reply, error) => {
  await model.ask('Hello', reply);
  expect(await model.end()).toMatchObject({ status: 'error', error });
  expect(model.requests).toBe(1);
  expect(model.payloads('error')).toEqual([]);
});

test.each([
  ['max_tokens', 'max_tokens', /it reached 32000 tokens/],
  ['refusal', 'refusal', /declined/],
  ['model_context_window_exceeded', 'context_too_long', /start a new one/],
])('[AGT2] %s: the text is kept and marked, its calls do not run, and the next turn continues', async (...row) => {
  const [stopReason, code, message] = row;
  const content = [think('Hm.'), say('One two'), cutCall];
  await model.ask('Count', { content, stopReason }, { content: [say('Here I am.')] });
  expect(await model.end()).toMatchObject({
    status: 'error',
    error: { code, message: expect.stringMatching(message) },
    usage: { requests: 1 },
  });
  expect(model.payloads('assistant_done', 'tool_call')).toEqual([{ block: 1, text: 'One two', interrupted: true }]);
  const { seq } = model;
  await model.say('Are you there?');
  expect(await model.end(seq)).toMatchObject({ status: 'completed' });
  expect(await model.sent(2)).toEqual([user('Count'), assistant('One two'), user('Are you there?')]);
});

test('[AGT2] after five attempts the turn ends with the last error and its usage', async () => {
  const overloaded = failWith(529, 'overloaded_error', soon);
  await model.ask('Count', cut({ kind: 'error', after: 4 }), overloaded, overloaded, overloaded, overloaded);
  expect(await model.end()).toMatchObject({
    status: 'error',
    error: { code: 'overloaded', message: 'The model is overloaded.' },
    usage: { requests: 1, inputTokens: 10 },
  });
  expect(model.requests).toBe(5);
  expect(model.payloads('error')).toHaveLength(4);
});

test('[AGT2, INT11] a stop in the middle of a message ends its request at once, and keeps the text and the usage', async () => {
  await model.ask('Count', cut({ kind: 'stall', after: 4 }), { content: [say('Sorry.')] });
  await model.streamed('text', 'One two ');
  await model.journey.tab.ask({ type: 'cancel_turn', sessionId: model.journey.session });
  await (await model.request(1)).closed;
  expect(await model.end()).toMatchObject({ status: 'cancelled', usage: { requests: 1, inputTokens: 10 } });
  expect(model.payloads('assistant_done')).toEqual([{ block: 1, text: 'One two ', interrupted: true }]);
  const { seq } = model;
  await model.say('Stop');
  expect(await model.end(seq)).toMatchObject({ status: 'completed' });
  expect(await model.sent(2)).toEqual([user('Count'), assistant('One two '), user('Stop')]);
});

test('[AGT2, INT11] a stop between two attempts takes effect at once', async () => {
  await model.ask('Count', failWith(429, 'rate_limit_error', { 'retry-after': '590' }), { content: [say('Sorry.')] });
  expect((await model.journey.event('error')).payload.message).toMatch(/Trying again at \d{4}-/);
  await model.journey.tab.ask({ type: 'cancel_turn', sessionId: model.journey.session });
  expect(await model.end()).toMatchObject({ status: 'cancelled' });
  const { seq } = model;
  await model.say('Then not');
  expect(await model.end(seq)).toMatchObject({ status: 'completed' });
  expect(await model.sent(2)).toEqual([user('Count', 'Then not')]);
});

test('[AGT2] an error after the results of a call loses none of them', async () => {
  await model.ask('Echo', { content: [callTool('f1', 'echo', { n: 1 })] }, cut({ kind: 'drop', after: 3 }), {
    content: [say('Done.')],
  });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  expect(await model.sent(3)).toEqual([
    user('Echo'),
    assistant(called('f1', 'echo', { n: 1 })),
    user(result('f1', '{"n":1}')),
  ]);
});

test('[AGT2] a stream that stays silent, without even a ping, is abandoned', async () => {
  const impatient = await startModelServer({ stallMs: 3000 });
  await impatient.ask('Count', cut({ kind: 'stall', after: 4 }), { content: [say('One two three.')] });
  await (await impatient.request(1)).closed;
  expect(await impatient.end()).toMatchObject({ status: 'completed' });
  expect(impatient.payloads('error')).toMatchObject([{ code: 'stalled' }]);
  expect(await impatient.sent(2)).toEqual([user('Count')]);
});

test('[FRM1, AGT6] arguments with an inexact number are refused with an error that lets the model correct them', async () => {
  const json = '{"n": 1234567890123456789}';
  const call: FakeBlock = { type: 'tool_use', id: 'large', name: 'echo', input: JSON.parse(json), json };
  await model.ask('Count', { content: [call] }, { content: [say('Sent as a text.')] });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  expect(model.payloads('tool_call')).toMatchObject([{ args: json }]);
  expect(model.payloads('tool_result')).toMatchObject([
    { error: { code: 'invalid_args', message: expect.stringContaining('n: the number 1234567890123456789') } },
  ]);
});
