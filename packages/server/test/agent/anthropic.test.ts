import { callTool, say, think } from '@parleyhq/plugin-anthropic/testing';
import { expect, test } from 'vitest';
import { assistant, called, result, useModelServer, user, written } from '../support/model-server.ts';

const model = useModelServer({ system: 'Be brief.', maxTokens: 4096, cacheTtl: '1h' });

test('[AGT2, EVT4] text and thinking stream to the tab, and are stored as they were written', async () => {
  const content = [think('Hm, a greeting.'), say('Hello there, friend.')];
  await model.ask('Hello', { content, fault: { kind: 'stall', after: 5 } });
  expect(await model.streamed('thinking', 'Hm, a greeting.')).toBe(true);
  expect(await model.streamed('text', 'Hello ')).toBe(true);
  model.api.release();
  expect(await model.end()).toMatchObject({ status: 'completed' });
  expect(model.payloads('thinking_done', 'assistant_done')).toEqual([
    { block: 0, text: 'Hm, a greeting.' },
    { block: 1, text: 'Hello there, friend.' },
  ]);
  expect(await model.sent(1)).toEqual([user('Hello')]);
});

test('[AGT2] a request has the key, the model, the settings and the tools with their schemas, and nothing about the machine', async () => {
  await model.ask('Hello', { content: [say('Hello.')] });
  const { headers, body } = await model.request(1);
  expect(headers).toMatchObject({ authorization: 'Bearer sk-test', 'content-type': 'application/json' });
  const { messages: _, tools, ...rest } = body;
  expect(rest).toEqual({
    model: 'claude-test',
    max_tokens: 4096,
    stream: true,
    thinking: { type: 'adaptive', display: 'summarized' },
    system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral', ttl: '1h' } }],
  });
  const askUser = tools?.find(({ name }) => name === 'ask_user');
  expect(askUser).toMatchObject({
    description: 'Ask the person one question and wait for the answer.',
    input_schema: {
      type: 'object',
      required: ['question'],
      properties: { question: { type: 'string', minLength: 1 } },
    },
  });
  expect((await model.journey.event('turn_start')).payload).toMatchObject({ agent: 'anthropic', model: 'claude-test' });
});

test('[AGT2, DUR7] results of parallel calls go into one message, in order, errors as errors, after the blocks as they came', async () => {
  const redacted = { type: 'redacted_thinking', data: 'c2VjcmV0' } as const;
  const calls = [
    callTool('p1', 'slow', { ms: 50 }),
    callTool('p2', 'echo', { n: 2 }),
    callTool('p3', 'nothing_like_it'),
  ];
  await model.ask(
    'Do all three',
    { content: [think('Three at once.'), redacted, say('All three.'), ...calls] },
    { content: [say('Done.')] },
  );
  expect(await model.end()).toMatchObject({ status: 'completed' });
  const outcomes = await Promise.all(
    ['p1', 'p2', 'p3'].map(
      async (id) => (await model.journey.event('tool_result', ({ payload }) => payload.toolCallId === id)).payload,
    ),
  );
  const [slow, , unknown] = outcomes;
  expect(unknown?.error).toMatchObject({ code: 'unknown_tool' });
  expect(await model.sent(2)).toEqual([
    user('Do all three'),
    assistant(
      { type: 'thinking', thinking: 'Three at once.', signature: 'signed: Three at once.' },
      redacted,
      written('All three.'),
      called('p1', 'slow', { ms: 50 }),
      called('p2', 'echo', { n: 2 }),
      called('p3', 'nothing_like_it'),
    ),
    user(
      slow?.error
        ? result('p1', `${slow.error.code}: ${slow.error.message}`, { is_error: true })
        : result('p1', typeof slow?.result === 'string' ? slow.result : JSON.stringify(slow?.result)),
      result('p2', '{"n":2}'),
      result('p3', `unknown_tool: ${unknown?.error?.message}`, { is_error: true }),
    ),
  ]);
});

test('[AGT2] the ends of the last two user messages are marked for the cache, and at most four places in all', async () => {
  await model.ask(
    'Twice',
    { content: [callTool('c1', 'echo')] },
    { content: [callTool('c2', 'echo')] },
    {
      content: [say('Done.')],
    },
  );
  await model.end();
  const { body } = await model.request(3);
  const marked = body.messages.map(({ content }) => content.map((block) => Boolean(block.cache_control)));
  expect(marked).toEqual([[false], [false], [true], [false], [true]]);
});

test("[AGT2] the end of a turn has its usage: all its requests together, and no other turn's", async () => {
  const usage = { input_tokens: 7, output_tokens: 3, cache_creation_input_tokens: 100, cache_read_input_tokens: 1000 };
  const done = { content: [say('Done.')], usage };
  await model.ask('Echo', { content: [callTool('u1', 'echo')], usage }, done, done);
  expect(await model.end()).toEqual({
    status: 'completed',
    usage: { requests: 2, inputTokens: 14, outputTokens: 6, cacheWriteTokens: 200, cacheReadTokens: 2000 },
  });
  const { seq } = model;
  await model.say('Thanks');
  expect(await model.end(seq)).toMatchObject({ usage: { requests: 1, inputTokens: 7 } });
});

test('[AGT2, INT9, INT19] late answers and queued messages become messages of their own, after the results', async () => {
  await model.ask(
    'Ask me twice',
    { content: [callTool('l1', 'later')] },
    { content: [say('One is to come.')] },
    { content: [say('Here I am.')] },
    { content: [say('Noted.')] },
  );
  const { tab, session } = model.journey;
  const off = await tab.prompt(session);
  await model.journey.submit(off, { off: 'wait' });
  const again = await model.journey.next(off);
  const { payload: on } = await model.journey.event('interaction_request', ({ payload }) => payload.slot === '2');
  await model.say('Are you there?');
  await model.journey.submit(on, { on: 'go on' });
  await model.journey.event('assistant_done', ({ payload }) => payload.text === 'Here I am.');
  await model.journey.submit(again, { off: 'at last' });
  await model.journey.event('assistant_done', ({ payload }) => payload.text === 'Noted.');
  const [, , returned, , queued, , late] = await model.sent(4);
  expect(returned).toMatchObject(user({ tool_use_id: 'l1', content: expect.stringContaining('go on') }));
  expect([queued, late]).toEqual([user('Are you there?'), user('late: at last')]);
});

test('[AGT2] a message without text is left out of later requests', async () => {
  const silent = [think('Nothing to add.'), say(' ')];
  await model.ask('Well?', { content: silent }, { content: [say('Yes?')] });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  const { seq } = model;
  await model.say('Hello?');
  expect(await model.end(seq)).toMatchObject({ status: 'completed' });
  expect(await model.sent(2)).toEqual([user('Well?', 'Hello?')]);
});

test('[AGT2] a paused turn continues where it stopped, in the same message', async () => {
  await model.ask(
    'Take your time',
    { content: [say('First, ')], stopReason: 'pause_turn' },
    { content: [say('then the rest.')] },
  );
  expect(await model.end()).toMatchObject({ status: 'completed', usage: { requests: 2 } });
  expect(await model.sent(2)).toEqual([user('Take your time'), assistant(written('First, '))]);
  expect(model.payloads('assistant_done')).toMatchObject([{ text: 'First, ' }, { text: 'then the rest.' }]);
});

test('[AGT8] a schema that the API would refuse is converted, and its tool gets its own names', async () => {
  const sent = { filter_id_: 1, _: 'Ada' };
  const call = (id: string, input: object) => ({ content: [callTool(id, 'foreign', input)] });
  await model.ask('Filter', call('f1', sent), call('f2', { ...sent, filter_id_: 2 }), { content: [say('Done.')] });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  const { tools } = (await model.request(3)).body;
  expect(tools?.find(({ name }) => name === 'foreign')?.input_schema).toMatchObject({
    properties: { filter_id_: { type: 'integer', exclusiveMinimum: 1 }, _: { type: 'string', title: '名前' } },
    required: ['filter_id_', '_'],
  });
  const [first, second] = model.payloads('tool_result');
  expect(first).toMatchObject({ error: { code: 'invalid_args', message: expect.stringContaining('filter[id]') } });
  expect(second).toMatchObject({ result: { 'filter[id]': 2, 名前: 'Ada' } });
});

test('[AGT6] invalid arguments are an error that the model reads and corrects', async () => {
  await model.ask(
    'Ask me',
    { content: [callTool('a1', 'ask_user', {})] },
    { content: [callTool('a2', 'ask_user', { question: 'Tea?', options: '["yes", "no"]' })] },
    { content: [say('Tea it is.')] },
  );
  const prompt = await model.journey.tab.prompt(model.journey.session);
  await model.journey.submit(prompt, { answer: 'yes' });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  const [, , mended, , answered] = await model.sent(3);
  expect(mended).toMatchObject(user({ is_error: true, content: expect.stringMatching(/^invalid_args: question/) }));
  expect(answered).toEqual(user(result('a2', '{"ok":true,"answer":"yes"}')));
});

/** A pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test('[AGT2, AGT4] the model sees an image that a tool returned, and reads its name in place of its bytes', async () => {
  const content = [
    { type: 'text', text: 'A dot.' },
    { type: 'image', mimeType: 'image/png', data: dot },
  ];
  await model.ask('Look', { content: [callTool('i1', 'echo', { content })] }, { content: [say('A dot.')] });
  expect(await model.end()).toMatchObject({ status: 'completed' });
  const [, , seen] = await model.sent(2);
  expect(JSON.stringify(seen)).toContain('[image 1: image/png, 1 kB]');
  expect(seen).toMatchObject({
    content: [
      {
        tool_use_id: 'i1',
        content: [{ type: 'text' }, { type: 'image', source: { type: 'base64', media_type: 'image/png', data: dot } }],
      },
    ],
  });
});
