import { describe, expect, test } from 'vitest';
import { mendMessage, mendNoJson, unreadableCode } from './mend-message.ts';

const noFault = (words: string) => expect.unreachable(words);

interface Answer {
  readonly result: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string };
}

function answer(method: string, members: object, onFault: (words: string) => void = noFault) {
  const pending = { methodOf: (id: unknown) => (Number(id) === 7 ? method : undefined), only: undefined, onFault };
  return mendMessage({ jsonrpc: '2.0', id: 7, ...members }, pending) as Answer;
}
const call = (members: object) => answer('tools/call', members);
const placed = { content: [{ type: 'text', text: 'order 17 placed' }] };

describe('[AGT4] a reply that is nearly one', () => {
  test.each([
    { error: null, result: placed },
    { jsonrpc: undefined, result: placed },
    { id: '7', result: placed },
    { result: { ...placed, _meta: null } },
    { result: { ...placed, isError: null } },
    { result: { ...placed, structuredContent: null } },
    { result: { content: placed.content[0] } },
    { result: { content: ['order 17 placed'] } },
    { result: { content: [{ ...placed.content[0], annotations: 'x', _meta: 5 }] } },
    { result: { ...placed, resultType: 5 } },
  ])('%j is read', (members) => {
    const { result, error } = call(members);
    expect(error).toBeUndefined();
    expect(result.content).toEqual([{ type: 'text', text: 'order 17 placed' }]);
    expect(result).not.toHaveProperty('isError');
    expect(result.resultType).toBe('complete');
  });

  test.each([
    [{ result: null }, 'its result is null'],
    [{}, 'its result is not there'],
    [{ result: 'done' }, 'its result is "done"'],
    [{ result: [] }, 'its result is []'],
    [{ error: 'no' }, 'its error is "no"'],
  ])('%j ends its request', (members, message) => {
    expect(call(members).error).toEqual({ code: unreadableCode, message });
  });

  test.each([
    [{ code: 'E42', message: 'full' }, -32_000, 'full ("E42")'],
    [{ code: '-32602', message: 'no' }, -32_602, 'no'],
    [{ code: null, message: null }, -32_000, 'It does not say why.'],
    [{ message: 'no code' }, -32_000, 'no code'],
    [{ code: 1.5, message: { a: 1 } }, -32_000, '{"a":1} (1.5)'],
  ])('the error %j is told', (error, code, message) => {
    expect(call({ error }).error).toEqual({ code, message });
  });

  test('parts that cannot be read are told, the others are kept', () => {
    const content = [
      placed.content[0],
      { type: 'image', mimeType: 'image/png', data: '%%%' },
      { type: 'hologram', x: 1 },
      null,
      { type: 'resource_link', uri: 'a:b', name: null },
      { type: 'resource', resource: { uri: 'a:b', mimeType: null, blob: 'aGk=' } },
    ];
    expect(call({ result: { content } }).result.content).toEqual([
      placed.content[0],
      {
        type: 'text',
        text: '(A part that cannot be read: {"type":"image","mimeType":"image/png","data":"%%%"})',
      },
      { type: 'text', text: '(A part that cannot be read: {"type":"hologram","x":1})' },
      { type: 'text', text: '(A part that cannot be read: null)' },
      { type: 'resource_link', uri: 'a:b', name: 'a:b' },
      { type: 'resource', resource: { uri: 'a:b', blob: 'aGk=' } },
    ]);
  });

  test('nulls within what a tool returns are its own', () => {
    const structuredContent = { name: null, list: [null] };
    expect(call({ result: { ...placed, structuredContent } }).result.structuredContent).toEqual(structuredContent);
  });

  test('an answer without an id is for the only request, and a line of a log is for none', () => {
    const pending = { methodOf: () => 'tools/call', only: 7, onFault: noFault };
    expect(mendMessage({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'no' } }, pending)).toMatchObject({
      id: 7,
      error: { code: -32_700 },
    });
    for (const line of [{ level: 30, error: 'x' }, { result: 1 }, 5, null, 'ready'])
      expect(mendMessage(line, pending)).toBe(line);
  });

  test('a number that JSON does not have ends the request whose answer has it', () => {
    const pending = { methodOf: (id: unknown) => (id === 7 ? 'tools/call' : undefined), only: 7, onFault: noFault };
    const nan = (message: string) => mendNoJson(message, pending);
    expect(nan('{"jsonrpc":"2.0","result":{"id":8,"text":"NaN","x":NaN,"y":-Infinity},"id":7}')).toMatchObject({
      id: 7,
      error: { code: unreadableCode },
    });
    expect(nan('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":NaN}}')).toBeUndefined();
    expect(nan('listening on NaN')).toBeUndefined();
    expect(nan('{"id":8,"result":NaN}')).toBeUndefined();
  });
});

describe('[AGT4] one bad tool costs only itself', () => {
  const nulls = {
    description: null,
    title: null,
    annotations: null,
    icons: null,
    _meta: null,
    outputSchema: null,
    execution: null,
  };

  test('null is absent, and a tool that is none is left out and named', () => {
    const faults: string[] = [];
    const tools = [
      { name: 'good', ...nulls, inputSchema: { type: 'object', properties: null, required: null } },
      { name: 'bare' },
      { name: 'null', inputSchema: null },
      { name: 'untyped', inputSchema: { properties: { a: { type: 'string' }, b: null } } },
      { name: 'claims', annotations: { readOnlyHint: true, destructiveHint: null, idempotentHint: 'no', title: 5 } },
      { name: 'text', inputSchema: 'object' },
      { name: 'list', inputSchema: { type: 'array' } },
      { title: 'nameless' },
      'x',
    ];
    const { result } = answer('tools/list', { result: { tools, nextCursor: null } }, (words) => faults.push(words));
    const object = { type: 'object' };
    expect(result).toEqual({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      tools: [
        { name: 'good', inputSchema: object },
        { name: 'bare', inputSchema: object },
        { name: 'null', inputSchema: object },
        { name: 'untyped', inputSchema: { ...object, properties: { a: { type: 'string' }, b: {} } } },
        { name: 'claims', annotations: { readOnlyHint: true }, inputSchema: object },
      ],
    });
    expect(faults).toEqual([
      'its tool "text" is left out: its inputSchema is "object"',
      'its tool "list" is left out: its inputSchema is of type "array"',
      'its tool number 8 is left out: it has no name',
      'its tool number 9 is left out: it is no object',
    ]);
  });

  test('nulls that a schema means are kept', () => {
    const properties = { nick: { type: ['string', 'null'], default: null }, kind: { enum: ['a', null] } };
    const { result } = answer('tools/list', {
      result: { tools: [{ name: 'a', inputSchema: { type: 'object', properties } }] },
    });
    expect(result.tools).toEqual([{ name: 'a', inputSchema: { type: 'object', properties } }]);
  });

  test('a greeting with nulls is one', () => {
    const { result } = answer('initialize', {
      result: {
        instructions: null,
        serverInfo: { name: 'a', title: null },
        capabilities: { tools: {}, prompts: null },
      },
    });
    expect(result).toMatchObject({ serverInfo: { name: 'a' }, capabilities: { tools: {} } });
    expect(result).not.toHaveProperty('instructions');
    expect(result.capabilities).not.toHaveProperty('prompts');
  });
});
