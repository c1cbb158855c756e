import type { NewEvent } from '@parleyhq/core';
import { collect, scriptTurn, testAgent, textOf } from '@parleyhq/server/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anthropicAgent } from './agent.ts';
import { callTool, FakeMessagesApi, type FakeReply, type SentBody, say, think } from './testing/index.ts';

let api: FakeMessagesApi;
beforeAll(async () => {
  api = await FakeMessagesApi.start();
});
afterAll(() => api.close());

const make = () => {
  api.otherwise(play);
  return anthropicAgent({ apiKey: 'sk-test', baseUrl: api.url });
};

testAgent('anthropic', make, { talk: 'hello', call: 'call', ramble: 'ramble' });

/** A model that follows the instruction in the last message. */
function play({ messages }: SentBody): FakeReply {
  const last = messages.at(-1)?.content.at(-1);
  if (last?.text === 'call') return { content: [callTool('toolu_1', 'echo', { n: 1 })] };
  if (last?.text === 'ramble') return { content: [say('On and on and on.')], fault: { kind: 'stall', after: 2 } };
  return { content: [say('Hello.')] };
}

/** The messages that the API receives for a turn. */
async function messagesOf(...turn: Parameters<typeof scriptTurn>): Promise<SentBody['messages']> {
  await collect(make(), scriptTurn(...turn));
  return (api.requests.at(-1)?.body.messages ?? []).map(({ role, content }) => ({
    role,
    content: content.map(({ cache_control: _, ...block }) => block),
  }));
}

const text = (words: string) => ({ type: 'text', text: words });

function spoken(words: string, responseId: string): NewEvent {
  return { type: 'assistant_done', payload: { block: 0, text: words }, responseId };
}

function called(id: string, args: object | string, parentToolCallId?: string): NewEvent {
  const parent = parentToolCallId === undefined ? {} : { parentToolCallId };
  const payload = {
    toolCallId: id,
    toolName: 'echo',
    args: args as never,
    authorised: { by: 'tool' } as const,
    ...parent,
  };
  return { type: 'tool_call', payload, responseId: 'r1' };
}

function returned(id: string, outcome: object): NewEvent {
  return { type: 'tool_result', payload: { toolCallId: id, toolName: 'echo', ...outcome } };
}

test("[AGT2, DUR7] another agent's messages are rebuilt from the log alone: text, calls, results", async () => {
  const since = [
    { type: 'thinking_done', payload: { block: 0, text: 'Unsigned.' }, responseId: 'r1' } as NewEvent,
    spoken('I call.', 'r1'),
    called('a', { n: 1 }),
    called('b', 'words'),
    called('inner', {}, 'a'),
    returned('b', { error: { code: 'denied', message: 'Not on a Friday' } }),
    returned('inner', { result: 1 }),
    returned('a', { result: { n: 1 } }),
  ];
  expect(await messagesOf('go', ...since)).toEqual([
    { role: 'user', content: [text('earlier'), text('go')] },
    {
      role: 'assistant',
      content: [
        text('I call.'),
        { type: 'tool_use', id: 'a', name: 'echo', input: { n: 1 } },
        { type: 'tool_use', id: 'b', name: 'echo', input: { value: 'words' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: '{"n":1}' },
        { type: 'tool_result', tool_use_id: 'b', is_error: true, content: 'denied: Not on a Friday' },
      ],
    },
  ]);
});

test('[AGT2] blank text is never sent back, even if a model wrote it', async () => {
  expect(await messagesOf('go', spoken(' \n', 'r1'), called('a', {}), returned('a', {}))).toEqual([
    { role: 'user', content: [text('earlier'), text('go')] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'echo', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'null' }] },
  ]);
});

test.each([
  ['off', { type: 'disabled' }],
  [2048, { type: 'enabled', budget_tokens: 2048, display: 'summarized' }],
] as const)('[AGT2] thinking may be %s', async (thinking, sent) => {
  api.otherwise(play);
  const agent = anthropicAgent({ apiKey: 'sk-test', baseUrl: api.url, thinking });
  await collect(agent, scriptTurn('hello'));
  expect(api.requests.at(-1)?.body.thinking).toEqual(sent);
});

test('[AGT2] an agent abandoned in the middle of a message closes its connection', async () => {
  const parts = make().run(scriptTurn('ramble'), new AbortController().signal)[Symbol.asyncIterator]();
  const first = await parts.next();
  expect(first.done).toBe(false);
  await parts.return?.();
  await api.requests.at(-1)?.closed;
});

test("[AGT2] a refused connection is reported with the system's code", async () => {
  const gone = await FakeMessagesApi.start();
  await gone.close();
  const agent = anthropicAgent({ apiKey: 'sk-test', baseUrl: gone.url });
  const parts = agent.run(scriptTurn('hello'), new AbortController().signal)[Symbol.asyncIterator]();
  expect(await parts.next()).toMatchObject({
    value: { type: 'restart', error: { code: 'connection_lost', message: expect.stringContaining('(ECONNREFUSED)') } },
  });
  await parts.return?.();
});

test('[AGT2] endless pauses are given up', async () => {
  const agent = make();
  api.otherwise(() => ({ content: [say('And ')], stopReason: 'pause_turn' }));
  await expect(collect(agent, scriptTurn('hello'))).rejects.toMatchObject({ code: 'too_many_pauses' });
});

test('[AGT2] a stop reason of a later API ends the message like any other', async () => {
  const agent = make();
  api.script({ content: [think('Hm.'), say('Hello.')], stopReason: 'tired' });
  expect(textOf(await collect(agent, scriptTurn('hello')))).toBe('Hello.');
});

test('[AGT8] blank messages of old logs are left out of a request', async () => {
  const blank: NewEvent = { type: 'user_message', payload: { messageId: 'm9', text: ' \u200b', origin: 'user' } };
  expect(await messagesOf('go', blank)).toEqual([{ role: 'user', content: [text('earlier'), text('go')] }]);
});

test('[AGT8] if only a blank message is new, the model is not called', async () => {
  const before = api.requests.length;
  expect(await collect(make(), scriptTurn(' ', spoken('Done.', 'r1')))).toEqual([]);
  expect(api.requests.length).toBe(before);
});

test('[AGT2, AGT8] calls of old logs, whose ids the API refuses, keep their results', async () => {
  const ids = ['functions.echo:0', 'functions_echo_0', 'functions echo:0'];
  const since = [...ids.map((id, n) => called(id, { n })), ...ids.map((id, n) => returned(id, { result: { n } }))];
  const sentIds = ['functions_echo_0', 'functions_echo_0_2', 'functions_echo_0_3'];
  expect((await messagesOf('go', ...since)).slice(1)).toEqual([
    {
      role: 'assistant',
      content: sentIds.map((id, n) => ({ type: 'tool_use', id, name: 'echo', input: { n } })),
    },
    {
      role: 'user',
      content: sentIds.map((tool_use_id, n) => ({ type: 'tool_result', tool_use_id, content: `{"n":${n}}` })),
    },
  ]);
});

test('[AGT8] a conversation that no person began gets a first user message for the API', async () => {
  const turn = scriptTurn('go');
  const events = await turn.read();
  const [earlier] = events;
  const began = { ...earlier, ...spoken('Good morning.', 'r0') } as (typeof events)[number];
  await collect(make(), { ...turn, read: async () => [began, ...events.slice(1)] });
  const [first, second] = api.requests.at(-1)?.body.messages ?? [];
  expect(first).toMatchObject({ role: 'user', content: [{ type: 'text', text: expect.stringMatching(/\w/) }] });
  expect(second).toMatchObject({ role: 'assistant', content: [text('Good morning.')] });
});
