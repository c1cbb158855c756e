import { callTool, say, think } from '@parleyhq/plugin-anthropic/testing';
import { beforeEach, expect, test } from 'vitest';
import { effect, readEffects, release } from '../support/journey.ts';
import {
  assistant,
  called,
  type ModelServer,
  result,
  startModelServer,
  user,
  written,
} from '../support/model-server.ts';

// Every test kills its server, so each has its own.
let model: ModelServer;
beforeEach(async () => {
  model = await startModelServer();
});

const thought = { type: 'thinking', thinking: 'First a thought.', signature: 'signed: First a thought.' };
const redacted = { type: 'redacted_thinking', data: 'c2VjcmV0' } as const;
test('[DUR7, AGT2] killed while it streams, it repeats the request, and the text appears once', async () => {
  const content = [think('First a thought.'), say('One two three four.')];
  await model.ask('Count', { content, fault: { kind: 'stall', after: 6 } }, { content: [say('One two three.')] });
  await model.streamed('text', 'One two ');
  await model.crash();
  expect(await model.end()).toMatchObject({ status: 'completed' });
  expect((await model.request(2)).body).toEqual((await model.request(1)).body);
  expect(model.requests).toBe(2);
  expect(model.payloads('error')).toMatchObject([{ code: 'stream_restarted' }]);
  expect(model.payloads('thinking_done', 'assistant_done')).toEqual([{ block: 0, text: 'One two three.' }]);
});

test('[DUR7, DUR4, AGT2] killed while a tool runs, the next request has every block and both results', async () => {
  const calls = [callTool('w1', 'working'), callTool('w2', 'echo', { n: 2 })];
  await model.ask(
    'Work',
    { content: [think('First a thought.'), redacted, say('Working.'), ...calls], usage: { input_tokens: 7 } },
    { content: [say('Worked.')], usage: { input_tokens: 9 } },
  );
  await effect(model.server, 'working', 'ran');
  await model.journey.event('tool_result', ({ payload }) => payload.toolCallId === 'w2');
  await model.crash();
  const { payload: prompt } = await model.journey.event('interaction_request');
  expect(prompt.source.kind).toBe('recovery');
  expect(model.requests).toBe(1);
  await release(model.server, 'worked');
  await model.journey.answer(prompt, { action: 'approve' });
  expect(await model.end()).toMatchObject({ status: 'completed', usage: { requests: 2, inputTokens: 16 } });
  expect(await readEffects(model.server, 'working')).toEqual(['ran', 'ran']);
  expect(await model.sent(2)).toEqual([
    user('Work'),
    assistant(thought, redacted, written('Working.'), called('w1', 'working'), called('w2', 'echo', { n: 2 })),
    user(result('w1', 'worked'), result('w2', '{"n":2}')),
  ]);
});

test('[DUR7, DUR1, AGT2] killed twice while a prompt is open, the prompt stays open and the answer reaches the model', async () => {
  const question = { question: 'Tea or coffee?', options: ['Tea', 'Coffee'] };
  const content = [think('First a thought.'), callTool('q1', 'ask_user', question)];
  await model.ask('Ask me', { content }, { content: [say('Tea it is.')] });
  const prompt = await model.journey.tab.prompt(model.journey.session);
  await model.crash();
  await model.crash();
  const [open] = (await model.journey.tab.waitFor('welcome')).open;
  expect(open?.interaction).toEqual(prompt);
  expect(model.requests).toBe(1);
  expect(await model.journey.submit(prompt, { answer: 'Tea' })).toMatchObject({ ok: true });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  expect(await model.sent(2)).toEqual([
    user('Ask me'),
    assistant(thought, called('q1', 'ask_user', question)),
    user(result('q1', '{"ok":true,"answer":"Tea"}')),
  ]);
  expect(await model.journey.words()).toBe('Tea it is.');
});

test('[DUR7, AGT2] killed between attempts, the next process tries again, and the text appears once', async () => {
  const away = { kind: 'status', status: 429, type: 'rate_limit_error', headers: { 'retry-after': '300' } } as const;
  await model.ask('Hello', { fault: away }, { content: [say('Hello.')] });
  const { payload } = await model.journey.event('error');
  expect(payload).toMatchObject({ code: 'rate_limited' });
  await model.crash();
  expect(await model.end()).toMatchObject({ status: 'completed' });
  expect((await model.request(2)).body).toEqual((await model.request(1)).body);
  expect(model.payloads('assistant_done')).toEqual([{ block: 0, text: 'Hello.' }]);
});

test('[INT11, AGT2] killed while a prompt is open, then stopped, the turn ends with its usage', async () => {
  const usage = { input_tokens: 7, output_tokens: 3 };
  await model.ask('Ask me', { content: [callTool('c1', 'ask_user', { question: 'Why?' })], usage });
  await model.journey.tab.prompt(model.journey.session);
  await model.crash();
  await model.journey.tab.ask({ type: 'cancel_turn', sessionId: model.journey.session });
  expect(await model.end()).toMatchObject({ status: 'cancelled', usage: { requests: 1, inputTokens: 7 } });
});

test('[INT11, DUR7, AGT2] stopped while a prompt is open, the call has a result, and the next turn makes a valid request', async () => {
  const content = [think('First a thought.'), callTool('s1', 'ask_user', { question: 'Why?' })];
  await model.ask('Ask me', { content }, { content: [say('Hello again.')] });
  await model.journey.tab.prompt(model.journey.session);
  await model.journey.tab.ask({ type: 'cancel_turn', sessionId: model.journey.session });
  const { seq } = model;
  await model.crash();
  await model.say('Something else');
  expect(await model.end(seq)).toMatchObject({ status: 'completed' });
  expect(await model.sent(2)).toEqual([
    user('Ask me'),
    assistant(thought, called('s1', 'ask_user', { question: 'Why?' })),
    user(result('s1', expect.stringMatching(/^cancelled: /) as never, { is_error: true }), 'Something else'),
  ]);
});
