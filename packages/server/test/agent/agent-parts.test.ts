import { type Agent, type AgentPart, definePlugin, type InnerCall, type Json } from '@parleyhq/core';
import { describe, expect, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { useLocalServer } from '../support/local-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: what no type would let through
type Loose = any;

const call = (more: object): Loose => ({ type: 'tool_call', toolName: 'noop', args: {}, ...more });
const cyclic: Loose = {};
cyclic.self = cyclic;

/** Invalid parts that an agent in JavaScript or behind a proxy may yield, and the words that must name the mistake. */
const mistakes: Record<string, [parts: Loose[], words: string[]]> = {
  'a call named by an object': [[call({ toolCallId: { a: 1 } })], ['toolCallId:', '1 to 180']],
  'a call named by true': [[call({ toolCallId: true })], ['toolCallId:']],
  'a call named by a number': [[call({ toolCallId: 5 })], ['toolCallId:']],
  'a call named by null': [[call({ toolCallId: null })], ['toolCallId:']],
  'a call without a name': [[call({ toolCallId: '' })], ['toolCallId:']],
  'a call with a name too long to answer': [[call({ toolCallId: 'x'.repeat(181) })], ['toolCallId:']],
  'two calls of one name': [
    [call({ toolCallId: 'd' }), call({ toolCallId: 'd' })],
    ['toolCallId:', '"d" already'],
  ],
  'a call of a tool that is no text': [[call({ toolName: { x: 1 } })], ['toolName:', 'text']],
  'arguments with a BigInt': [[call({ args: { a: [10n] } })], ['args: not JSON: "a.0" is a bigint']],
  'a function for arguments': [[call({ args: () => 1 })], ['args: not JSON']],
  'a text without a text': [[{ type: 'text' }], ['text: must be a text']],
  'a text of an object': [[{ type: 'text', text: { a: 1 } }], ['text: must be a text']],
  'thinking of a number': [[{ type: 'thinking', text: 5 }], ['text: must be a text']],
  'input of no call': [[{ type: 'tool_input', text: '{' }], ['toolCallId: must be a text']],
  'an unknown type': [[{ type: 'tool_cal' }], ['type:', 'Did you mean "tool_call"?']],
  'a string for a part': [['hello'], ['must be an object']],
  'null for a part': [[null], ['must be an object']],
  'a record with a cycle': [[{ type: 'record', value: cyclic }], ['value: not JSON']],
  'a usage with a BigInt': [[{ type: 'usage', usage: { inputTokens: 10n } }], ['usage: not JSON']],
  'a usage with a cycle': [[{ type: 'usage', usage: cyclic }], ['usage:']],
  'a restart without its error': [[{ type: 'restart' }], ['error:']],
};

const noEnd = { noReturn: () => undefined, aPromise: async () => [], nothing: () => null };

const plain = (name: string, write: Agent['run']): Agent => ({ name, description: 'Writes.', run: write });

const hasResult = async ({ read, startSeq }: Parameters<Agent['run']>[0]) =>
  (await read(startSeq)).some(({ type }) => type === 'tool_result');

const names = Object.keys(mistakes);
const erring = names.map((name, n) =>
  plain(`erring-${n}`, async function* (): AsyncIterable<AgentPart> {
    yield { type: 'text', text: 'Before. ' };
    yield* mistakes[name]?.[0] ?? [];
  }),
);
const silent = Object.entries(noEnd).map(([name, run]) => plain(name, run as Loose));

/** Names its calls anew in each message, as many proxies do. */
const counting = plain('counting', async function* (turn) {
  if (await hasResult(turn)) yield { type: 'text', text: 'done' };
  else yield call({ toolCallId: 'call_0' });
});

const restarting = plain('restarting', async function* (turn) {
  if (await hasResult(turn)) return;
  yield call({ toolCallId: 'again' });
  yield { type: 'restart', error: { code: 'busy', message: 'Once more.' } };
  yield call({ toolCallId: 'again' });
});

const innerMistakes: [name: string, inner: Loose, words: string][] = [
  ['named by an object', { toolCallId: { a: 1 }, toolName: 'noop', args: {}, from: 'sub' }, 'toolCallId:'],
  ['named by true', { toolCallId: true, toolName: 'noop', args: {}, from: 'sub' }, 'toolCallId:'],
  ['of no tool', { toolName: { x: 1 }, args: {}, from: 'sub' }, 'toolName:'],
  ['from an object', { toolName: 'noop', args: {}, from: { x: 1 } }, 'from:'],
  ['with a BigInt', { toolName: 'noop', args: 10n, from: 'sub' }, 'args:'],
  ['that is none', null, 'needs an object'],
];

const tool = (name: string, handler: Loose) => ({ name, description: name, parameters: { type: 'object' }, handler });
const noop = tool('noop', () => 'ran');
const inside = tool('inside', ({ n }: { n: number }, ctx: Loose) => ctx.callTool(innerMistakes[n]?.[1] as InnerCall));
const twice = tool('twice', async (_: Json, ctx: Loose) => {
  const inner = { toolCallId: 'same', toolName: 'noop', args: {}, from: 'sub' };
  const both = await Promise.allSettled([ctx.callTool(inner), ctx.callTool(inner)]);
  return both.map(({ status }) => status).sort();
});

const author = definePlugin({
  name: 'author',
  tools: [noop, inside, twice],
  agents: [...erring, ...silent, counting, restarting],
});

const server = useLocalServer({ plugins: [author] });

async function begin(agent: string): Promise<Journey> {
  const journey = await Journey.begin(server);
  await journey.tab.ask({ type: 'update_session', sessionId: journey.session, agent });
  return journey;
}

describe('[PLG8] invalid parts of an agent are refused on arrival with an explanation, and the turn ends:', () => {
  test.each(names)('%s', async (name) => {
    const journey = await begin(`erring-${names.indexOf(name)}`);
    const { seq } = await journey.tab.say(journey.session, 'go');
    const { payload } = await journey.event('turn_end', undefined, seq);
    expect(payload).toMatchObject({ status: 'error', error: { code: 'invalid_outcome' } });
    for (const words of mistakes[name]?.[1] ?? []) expect(payload.error?.message).toContain(words);
    expect(journey.events('tool_call')).toEqual([]);
    await journey.tab.ask({ type: 'delete_session', sessionId: journey.session });
  });

  test.each(Object.keys(noEnd))('no parts at all: %s', async (name) => {
    const journey = await begin(name);
    await journey.tab.say(journey.session, 'go');
    const { error } = (await journey.event('turn_end')).payload;
    expect(error).toMatchObject({ code: 'invalid_outcome', message: expect.stringContaining('async *run') });
  });
});

test('[AGT6, DUR8] a call with the name of one of an earlier turn ends the turn with a coded error', async () => {
  const journey = await begin('counting');
  await journey.tab.say(journey.session, 'go');
  expect((await journey.event('turn_end')).payload.status).toBe('completed');
  const { seq } = await journey.tab.say(journey.session, 'again');
  const { error } = (await journey.event('turn_end', undefined, seq)).payload;
  expect(error).toMatchObject({ code: 'invalid_outcome', message: expect.stringContaining('"call_0" already') });
});

test('[DUR7] a message that starts over may name its calls as before', async () => {
  const journey = await begin('restarting');
  await journey.tab.say(journey.session, 'go');
  expect((await journey.event('turn_end')).payload.status).toBe('completed');
  expect(journey.events('tool_call')).toHaveLength(1);
});

test.each(innerMistakes)(
  '[PLG8] an inner call %s is refused, and its handler gets the error',
  async (name, _, words) => {
    const journey = await Journey.begin(server);
    const { error } = await journey.run('inside', { n: innerMistakes.findIndex(([each]) => each === name) });
    expect(error).toMatchObject({ code: 'tool_error', message: expect.stringContaining(`ctx.callTool: ${words}`) });
    expect((await journey.event('turn_end')).payload.status).toBe('completed');
  },
);

test('[PLG8] of two inner calls with one name, one runs and the other is refused', async () => {
  const journey = await Journey.begin(server);
  await journey.call('twice');
  const { payload } = await journey.event('tool_result', ({ payload }) => payload.toolName === 'twice');
  expect(payload.result).toEqual(['fulfilled', 'rejected']);
});
