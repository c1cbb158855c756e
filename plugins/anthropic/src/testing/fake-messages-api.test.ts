import { afterAll, beforeAll, expect, test } from 'vitest';
import { callTool, FakeMessagesApi, say, think } from './index.ts';

let api: FakeMessagesApi;
beforeAll(async () => {
  api = await FakeMessagesApi.start();
});
afterAll(() => api.close());

const text = { type: 'text', text: 'Hello' };
const user = (...content: object[]) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: '1' });
const call = (id: string) => ({ ...callTool(id, 'echo'), caller: { type: 'direct' } });

async function send(messages: object[], more: object = {}, headers: object = { 'x-api-key': 'k' }): Promise<Response> {
  const body = JSON.stringify({ model: 'm', max_tokens: 1, stream: true, messages, ...more });
  return fetch(`${api.url}/v1/messages`, { method: 'POST', headers: { ...headers }, body });
}

const reasonOf = async (response: Response) => [response.status, (await response.json()).error.message];

test('it streams what is scripted, once each, event by event', async () => {
  api.script({ content: [think('Hm.'), say('Hello there.')] });
  const stream = await (await send([user(text)])).text();
  expect(stream.match(/^event: .*$/gm)?.map((line) => line.slice(7))).toEqual([
    'message_start',
    'ping',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
  expect(await reasonOf(await send([user(text)]))).toEqual([400, 'nothing is scripted for this request']);
});

test('it also answers without a stream, and accepts everything if lenient', async () => {
  const lenient = await FakeMessagesApi.start({ isLenient: true });
  lenient.script({ content: [say('Hello.')] });
  const messages = [{ role: 'user', content: 'Hello' }];
  const body = JSON.stringify({ model: 'm', max_tokens: 1, messages });
  const headers = { authorization: 'Bearer k' };
  const response = await fetch(`${lenient.url}/v1/messages?beta=true`, { method: 'POST', headers, body });
  expect(await response.json()).toMatchObject({
    role: 'assistant',
    stop_reason: 'end_turn',
    content: [{ text: 'Hello.' }],
  });
  expect(lenient.requests[0]?.body.messages).toEqual(messages);
  await lenient.close();
});

test('it requires a key', async () => {
  expect(await reasonOf(await send([user(text)], {}, {}))).toEqual([401, 'a key is required']);
});

const system = Array.from({ length: 5 }, () => ({ ...text, cache_control: { type: 'ephemeral' } }));

test.each<[string, object[], object, RegExp]>([
  ['no stream', [user(text)], { stream: false }, /stream/],
  ['an assistant who begins', [assistant(text)], {}, /the first message/],
  ['two of one role in a row', [user(text), user(text)], {}, /in a row/],
  ['a message without content', [user(text), assistant(), user(text)], {}, /must not be empty/],
  ['blank text', [user({ type: 'text', text: ' ' })], {}, /text must not be empty/],
  ['a thought at the end', [user(text), assistant(think('Hm.')), user(text)], {}, /must not be thinking/],
  ['a call without its result', [user(text), assistant(call('a')), user(text)], {}, /without tool_result.*: a/],
  ['a call at the end', [user(text), assistant(call('a'))], {}, /without tool_result.*: a/],
  ['a result without its call', [user(text), assistant(text), user(result('b'))], {}, /unexpected tool_use_id b/],
  ['a result behind text', [user(text), assistant(call('a')), user(text, result('a'))], {}, /come first/],
  [
    'a tool without an object',
    [user(text)],
    { tools: [{ name: 'echo', input_schema: {} }] },
    /echo is not a valid tool/,
  ],
  ['five marks for the cache', [user(text)], { system }, /at most four are allowed/],
])('it refuses %s', async (_, messages, more, reason) => {
  api.script({ content: [say('Hello.')] });
  expect(await reasonOf(await send(messages, more))).toEqual([400, expect.stringMatching(reason)]);
});

test('it refuses a message with calls that is sent back changed', async () => {
  const thought = think('Hm.');
  api.script({ content: [thought, callTool('v', 'echo')] }, { content: [say('Done.')] });
  await (await send([user(text)])).text();
  const unsigned = { ...thought, signature: '' };
  expect(await reasonOf(await send([user(text), assistant(unsigned, call('v')), user(result('v'))]))).toEqual([
    400,
    expect.stringContaining('cannot be modified'),
  ]);
  const whole = [user(text), assistant(thought, call('v')), user(result('v'))];
  expect((await send(whole, { tools: [{ name: 'echo', input_schema: { type: 'object' } }] })).status).toBe(200);
  expect(await reasonOf(await send(whole))).toEqual([400, expect.stringContaining('tools: must be given')]);
});
