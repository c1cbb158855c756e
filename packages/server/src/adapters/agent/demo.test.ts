import type { Json, NewEvent, Payload } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { callsOf, collect, scriptTurn, testAgent, textOf } from '../../testing/agent-contract.ts';
import { demoAgent } from './demo.ts';

testAgent('demo', () => demoAgent, { talk: 'hello', call: '/call echo {"n": 1}', ramble: '/stream 10000 1' });

test('[AGT1] /call calls a tool with its arguments', async () => {
  expect(await callsTo('/call ask_user {"question": "Why?"}')).toEqual([['ask_user', { question: 'Why?' }]]);
});

test('[AGT1] arguments may be omitted or span several lines', async () => {
  expect(await callsTo('/call survey')).toEqual([['survey', {}]]);
  expect(await callsTo('/call echo {\n  "n": 1\n}')).toEqual([['echo', { n: 1 }]]);
});

test('[AGT1] each line of a message is a call of its own, in one assistant message', async () => {
  expect(await callsTo('/call echo {"n": 1}\n/call echo {"n": 2}\n\n/call unknown')).toEqual([
    ['echo', { n: 1 }],
    ['echo', { n: 2 }],
    ['unknown', {}],
  ]);
});

test('[AGT1] malformed JSON is reported and calls nothing; other lines still do', async () => {
  const parts = await collect(demoAgent, scriptTurn('/call echo {"n": }\n/call echo {"n": 2}'));
  expect(textOf(parts)).toMatch(
    /^The arguments of echo are not valid JSON: .*\. They look like {"name": "text"}, with double quotes\.$/,
  );
  expect(callsOf(parts)).toMatchObject([{ args: { n: 2 } }]);
});

test.each([
  ['/call', '/call needs the name of a tool'],
  ['/stream', '/stream needs'],
  ['/stream 5', '/stream needs'],
  ['/stream many 5', '/stream needs'],
  ['/stream 1000000 0', 'at most 100000'],
  ['/call echo\n/shout', 'left this out: /shout'],
])('[AGT1] %j is answered with what is wrong', async (text, words) => {
  expect(await wordsTo(text)).toContain(words);
});

test('[AGT1] /stream writes its chunks one by one', async () => {
  const parts = await collect(demoAgent, scriptTurn('/stream 3 1'));
  expect(parts.filter((part) => part.type === 'text').map((part) => part.text)).toEqual(['1 ', '2 ', '3']);
  expect(await wordsTo('/stream 2 0')).toBe('1 2');
});

test('[INT11] a stop also ends a stream without delays', async () => {
  const stop = new AbortController();
  const parts = demoAgent.run(scriptTurn('/stream 100000 0'), stop.signal)[Symbol.asyncIterator]();
  await parts.next();
  stop.abort();
  await expect(parts.next()).rejects.toThrow('aborted');
});

test('[AGT1] results are reported one line per call, in the order of the calls', async () => {
  const turn = scriptTurn(
    '/call a\n/call b\n/call c',
    ...['a', 'b', 'c'].map((toolName) => called(toolName)),
    returned('c', { result: null }),
    returned('b', { error: { code: 'denied', message: 'Not on a Friday' } }),
    returned('a', { result: { ok: true, list: [1, 'two'] } }),
  );
  expect(textOf(await collect(demoAgent, turn))).toBe(
    [
      'a returned: {"ok":true,"list":[1,"two"]}',
      'b returned: {"error":{"code":"denied","message":"Not on a Friday"}}',
      'c returned: null',
    ].join('\n'),
  );
});

test('[AGT1, TEAM1] what a person said with an answer is not repeated to everybody', async () => {
  const note = 'A person said yes: “Only on staging.”';
  const turn = scriptTurn('/call a', called('a'), returned('a', { result: 'ran', note }));
  expect(textOf(await collect(demoAgent, turn))).toBe('a returned: "ran"');
});

test("[AGT7] a sub-agent's calls are not reported as its own", async () => {
  const turn = scriptTurn(
    '/call a',
    called('a'),
    called('inner', 'a'),
    returned('inner', { result: 1 }),
    returned('a', { result: 2 }),
  );
  expect(textOf(await collect(demoAgent, turn))).toBe('a returned: 2');
});

test('[AGT1] a late answer is acknowledged, never run as a command', async () => {
  expect(await wordsTo({ text: '/call echo', origin: 'interaction' })).toBe('Noted: /call echo');
});

test('[AGT1] any other text gets a tour that says it is a scripted demo and shows what this server offers', async () => {
  const turn = { ...scriptTurn('hello'), tools: ['ask_user', 'echo'].map(offer) };
  const tour = textOf(await collect(demoAgent, turn));
  expect(tour).toContain('scripted demo');
  expect(tour).toContain('/call ask_user {"question"');
  expect(tour).toContain('There are also: echo.');
  expect(tour).not.toContain('run_command');
});

test('[AGT1] every example in the tour is a valid command', async () => {
  const names = ['ask_user', 'all_fields', 'survey', 'delete_files', 'run_command'];
  const tour = textOf(await collect(demoAgent, { ...scriptTurn('hello'), tools: names.map(offer) }));
  const examples = [...tour.matchAll(/`(\/call [^`]+)`/g)].map(([, line]) => line ?? '');
  expect(examples).toHaveLength(6);
  for (const line of examples) expect(await callsTo(line)).toHaveLength(1);
});

async function wordsTo(message: Parameters<typeof scriptTurn>[0]): Promise<string> {
  return textOf(await collect(demoAgent, scriptTurn(message)));
}

async function callsTo(text: string): Promise<[string, Json][]> {
  const calls = callsOf(await collect(demoAgent, scriptTurn(text)));
  return calls.map(({ toolName, args }) => [toolName, args]);
}

function called(toolName: string, parentToolCallId?: string): NewEvent {
  const parent = parentToolCallId === undefined ? {} : { parentToolCallId };
  return {
    type: 'tool_call',
    payload: { toolCallId: toolName, toolName, args: {}, authorised: { by: 'tool' }, ...parent },
  };
}

function returned(toolName: string, outcome: Partial<Payload<'tool_result'>>): NewEvent {
  return { type: 'tool_result', payload: { toolCallId: toolName, toolName, ...outcome } };
}

function offer(name: string) {
  return { name, description: '', parameters: {} };
}

test('[SEC6, SEC11] a message of line breaks costs no more than its length', async () => {
  const begin = process.cpuUsage();
  await callsTo('\n'.repeat(120_000));
  expect(process.cpuUsage(begin).user / 1000).toBeLessThan(5000); // scanning to the end from each line break took half a minute
});
