import { describe, expect, test } from 'vitest';
import { type Asked, isUnreadableData, mendMessage, mendNoJson } from './mend-message.ts';

const noFault = (words: string) => expect.unreachable(words);

interface Answer {
  readonly result: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** One pending request, to which an answer without an id belongs. */
function waiting(method: string, onFault: (words: string) => void = noFault) {
  const asked: Asked = { id: 7, method };
  return {
    find: (id: unknown) => (Number(id) === 7 ? asked : undefined),
    findNameless: () => asked,
    onFault,
  };
}

function answer(method: string, members: object, onFault?: (words: string) => void) {
  return mendMessage({ jsonrpc: '2.0', id: 7, ...members }, waiting(method, onFault)) as Answer;
}
const call = (members: object) => answer('tools/call', members);
const placed = { content: [{ type: 'text', text: 'order 17 placed' }] };

describe('[AGT4] a reply that is nearly valid', () => {
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
    { result: { ...placed, resultType: 'complete', _meta: { progressToken: null } } },
    { error: '', result: placed },
    { error: false, result: placed },
    { error: {}, result: placed },
    { error: { code: null }, result: placed },
  ])('%j is read', (members) => {
    const { result, error } = call(members);
    expect(error).toBeUndefined();
    expect(result.content).toEqual([{ type: 'text', text: 'order 17 placed' }]);
    expect(result).not.toHaveProperty('isError');
    expect(result.resultType).toBe('complete');
  });

  test.each([
    [{ result: null }, 'its result is null'],
    [{}, 'its result is missing'],
    [{ result: 'done' }, 'its result is "done"'],
    [{ result: [] }, 'its result is []'],
  ])('%j ends its request', (members, message) => {
    const { error } = call(members);
    expect(error?.message).toBe(message);
    expect(isUnreadableData(error?.data)).toBe(true);
  });

  test('an error of a server is never taken for an unreadable answer', () => {
    const { error } = call({ error: { code: -32_000, message: 'full', data: { unreadable: 'x' } } });
    expect(isUnreadableData(error?.data)).toBe(false);
  });

  test.each([
    [{ code: 'E42', message: 'full' }, -32_000, 'full ("E42")'],
    [{ code: '-32602', message: 'no' }, -32_602, 'no'],
    [{ code: null, message: null }, -32_000, 'It does not say why.'],
    [{ message: 'no code' }, -32_000, 'no code'],
    [{ code: 1.5, message: { a: 1 } }, -32_000, '{"a":1} (1.5)'],
    [{ code: true, message: 'yes' }, -32_000, 'yes (true)'],
    [{ code: ' ', message: '' }, -32_000, 'It does not say why. (" ")'],
    ['out of stock', -32_000, 'out of stock'],
    [true, -32_000, 'true'],
    [{}, -32_000, 'It does not say why.'],
  ])('the error %j is reported', (error, code, message) => {
    expect(call({ error }).error).toEqual({ code, message });
  });

  test('parts that cannot be read are reported, the others are kept', () => {
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

  test('nulls within a structured result are kept', () => {
    const structuredContent = { name: null, list: [null] };
    expect(call({ result: { ...placed, structuredContent } }).result.structuredContent).toEqual(structuredContent);
  });

  test('an answer without an id belongs to the only possible request, and a log line to none', () => {
    const pending = waiting('tools/call');
    expect(mendMessage({ jsonrpc: '2.0', id: null, error: { code: -32_700, message: 'no' } }, pending)).toMatchObject({
      id: 7,
      error: { code: -32_700 },
    });
    const lines = [
      { level: 30, error: 'x' },
      { level: 30, id: 7, msg: 'handling' },
      { id: 7, error: null, took: 3 },
    ];
    for (const line of [...lines, { id: 7, error: { name: 'Error', message: 'x' } }, { result: 1 }, 5, null, 'ready'])
      expect(mendMessage(line, pending)).toBe(line);
  });

  test('nulls are removed from the parameters of requests and notifications, except from logged data', () => {
    const said = (params: unknown) =>
      mendMessage({ jsonrpc: '2.0', method: 'x', params, id: null }, waiting('tools/call'));
    expect(said({ total: null, _meta: { progressToken: null }, data: null, requestedSchema: { a: null } })).toEqual({
      jsonrpc: '2.0',
      method: 'x',
      params: { data: null, _meta: {}, requestedSchema: { a: null } },
    });
    expect(said(null)).toEqual({ jsonrpc: '2.0', method: 'x' });
    expect(said({ _meta: null })).toEqual({ jsonrpc: '2.0', method: 'x', params: {} });
  });

  test('a question without `jsonrpc` is read as a question; a log line is not', () => {
    const faults: string[] = [];
    const said = (message: object) =>
      mendMessage(
        message,
        waiting('tools/call', (words) => faults.push(words)),
      );
    const asked = { method: 'elicitation/create', id: 3, params: { message: 'Sure?' } };
    expect(said(asked)).toEqual({ ...asked, jsonrpc: '2.0' });
    expect(said({ ...asked, jsonrpc: '2.0', params: ['Sure?'] })).toEqual({ ...asked, jsonrpc: '2.0', params: {} });
    expect(said({ method: 'notifications/message', params: { data: 1 } })).toMatchObject({ jsonrpc: '2.0' });
    const line = { method: 'GET', id: 3 };
    expect(said(line)).toBe(line);
    expect(faults).toEqual([]);
    said({ ...asked, jsonrpc: '2.0', id: null });
    expect(faults).toEqual(['its question "elicitation/create" cannot be answered: it has no id']);
  });

  test('a number that JSON does not allow ends the request whose answer contains it', () => {
    const nan = (message: string) => mendNoJson(message, waiting('tools/call'));
    expect(nan('{"jsonrpc":"2.0","result":{"id":8,"text":"NaN","x":NaN,"y":-Infinity},"id":7}')).toMatchObject({
      id: 7,
      error: { message: expect.stringContaining('NaN') },
    });
    expect(nan('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":NaN}}')).toBeUndefined();
    expect(nan('listening on NaN')).toBeUndefined();
    expect(nan('{"id":8,"result":NaN}')).toBeUndefined();
  });

  test('[SEC6] an unterminated string is read once', () => {
    const steps = (length: number) => {
      const text = `{"${'\\"'.repeat(length)}\\`;
      let count = 0;
      const find = () => {
        count += 1;
        return undefined;
      };
      expect(mendNoJson(text, { ...waiting('tools/call'), find })).toBeUndefined();
      return count;
    };
    expect(steps(1_000_000)).toBe(0); // it would take for ever if each quote began a new string
  });

  test('a structured value that the 2025 protocol does not allow becomes text, unless the text repeats it', () => {
    const words = (members: object) => call({ result: members }).result;
    expect(words({ structuredContent: [1, 2] })).toMatchObject({ content: [{ type: 'text', text: '[1,2]' }] });
    const repeated = words({ content: [{ type: 'text', text: '[1, 2]' }], structuredContent: [1, 2] });
    expect(repeated).toMatchObject({ content: [{ type: 'text', text: '[1, 2]' }] });
    expect(repeated).not.toHaveProperty('structuredContent');
    expect(words({ resultType: 'complete', structuredContent: [1, 2] }).structuredContent).toEqual([1, 2]);
  });

  test('the content of a result of unknown type is shown', () => {
    expect(call({ result: { ...placed, resultType: 'input_required' } }).result.content).toHaveLength(1);
    const asking = { resultType: 'input_required', inputRequests: {} };
    expect(call({ result: asking }).result).toEqual(asking);
  });

  test('a null in a list is dropped', () => {
    const { result } = answer('resources/list', { result: { resources: [null, { uri: 'a:b', name: 'a' }] } });
    expect(result.resources).toEqual([{ uri: 'a:b', name: 'a' }]);
  });
});

describe('[AGT4] resources and prompts', () => {
  const text = (words: string) => ({ type: 'text', text: words });

  test('an unreadable part of a prompt affects only itself', () => {
    const messages = [
      { role: 'user', content: text('Review this.') },
      { role: 'user', content: { type: 'video', url: 'a:b' } },
      { role: 'assistant', content: [text('One.'), text('Two.')] },
      { role: 'system', content: text('Be brief.') },
      'Plain.',
      { role: 'user', text: 'Lost?' },
    ];
    const { result } = answer('prompts/get', { result: { description: 5, messages } });
    expect(result).not.toHaveProperty('description');
    expect(result.messages).toEqual([
      { role: 'user', content: text('Review this.') },
      { role: 'user', content: text('(A part that cannot be read: {"type":"video","url":"a:b"})') },
      { role: 'assistant', content: text('One.') },
      { role: 'assistant', content: text('Two.') },
      { role: 'user', content: text('(Its role is "system".)') },
      { role: 'user', content: text('Be brief.') },
      { role: 'user', content: text('Plain.') },
      { role: 'user', content: text('(A part that cannot be read: {"role":"user","text":"Lost?"})') },
    ]);
  });

  test('an unreadable part of a resource affects only itself', () => {
    const contents = [
      { uri: 'a:b', text: 'one', mimeType: null },
      { uri: 'a:c' },
      null,
      'plain',
      { text: 'at no address' },
      { uri: 'a:d', blob: 'aGk\n' },
    ];
    const { result } = answer('resources/read', { result: { contents } });
    expect(result.contents).toEqual([
      { uri: 'a:b', text: 'one' },
      { uri: 'a:c', text: '(A part that cannot be read: {"uri":"a:c"})' },
      { uri: '', text: '(A part that cannot be read: null)' },
      { uri: '', text: 'plain' },
      { uri: '', text: 'at no address' },
      { uri: 'a:d', blob: 'aGk=' },
    ]);
  });

  test('an entry of a list that cannot be used is left out and named', () => {
    const faults: string[] = [];
    const list = (method: string, result: object) => answer(method, { result }, (words) => faults.push(words)).result;
    const odd = { mimeType: 5, size: '1', icons: 'none', annotations: 'x' };
    expect(list('resources/list', { resources: [{ uri: 'a:b', ...odd }, { name: 'lost' }] }).resources).toEqual([
      { uri: 'a:b', name: 'a:b' },
    ]);
    const templates = { resourceTemplates: [{ uriTemplate: 'a:{b}', name: 'a', mimeType: 'text/plain' }, 7] };
    expect(list('resources/templates/list', templates).resourceTemplates).toEqual(
      templates.resourceTemplates.slice(0, 1),
    );
    const takes = [{ name: 'code', required: 'true' }, { name: 'lines', required: 1 }, {}];
    const prompts = [{ name: 'review', title: 5, arguments: takes }, { name: 'bare' }, { title: 'x' }];
    expect(list('prompts/list', { prompts, nextCursor: 5 })).toMatchObject({
      prompts: [{ name: 'review', arguments: [{ name: 'code', required: true }, { name: 'lines' }] }, { name: 'bare' }],
    });
    expect(faults).toEqual([
      'its resource "lost" is left out: it has no address',
      'its template number 2 is left out: it is not an object',
      'its prompt "review" has an argument without a name, which is left out',
      'its prompt number 3 is left out: it has no name',
    ]);
    for (const [method, words] of [
      ['prompts/list', 'its list of prompts is missing'],
      ['prompts/get', 'its messages are missing'],
      ['resources/read', 'its contents are missing'],
    ] as const)
      expect(answer(method, { result: {} }, () => undefined).error?.message).toBe(words);
  });
});

describe('[AGT4] one invalid tool affects only itself', () => {
  const nulls = {
    description: null,
    title: null,
    annotations: null,
    icons: null,
    _meta: null,
    outputSchema: null,
    execution: null,
  };

  test('a null counts as absent, and an invalid tool is left out and named', () => {
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
      'its tool number 9 is left out: it is not an object',
    ]);
  });

  test.each([{}, { tools: { order: {} } }, { tools: 'none' }])('%j is not a list of tools', (result) => {
    const faults: string[] = [];
    const { error } = answer('tools/list', { result }, (words) => faults.push(words));
    expect(error?.message).toMatch(/^its list of tools is /);
    expect(faults).toEqual([error?.message]);
  });

  test('what a tool and its page say for hosts is kept without nulls', () => {
    const _meta = { ui: { resourceUri: 'ui://a', csp: null } };
    const tools = [
      { name: 'a', _meta },
      { name: 'b', _meta: 'x' },
    ];
    expect(answer('tools/list', { result: { tools } }).result.tools).toEqual([
      { name: 'a', inputSchema: { type: 'object' }, _meta: { ui: { resourceUri: 'ui://a' } } },
      { name: 'b', inputSchema: { type: 'object' } },
    ]);
    const contents = [{ uri: 'ui://a', text: '<p>', _meta }];
    expect(answer('resources/read', { result: { contents } }).result.contents).toEqual([
      { uri: 'ui://a', text: '<p>', _meta: { ui: { resourceUri: 'ui://a' } } },
    ]);
  });

  test('nulls within a schema are kept', () => {
    const properties = { nick: { type: ['string', 'null'], default: null }, kind: { enum: ['a', null] } };
    const { result } = answer('tools/list', {
      result: { tools: [{ name: 'a', inputSchema: { type: 'object', properties } }] },
    });
    expect(result.tools).toEqual([{ name: 'a', inputSchema: { type: 'object', properties } }]);
  });

  test('an initialize result with nulls is accepted', () => {
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
