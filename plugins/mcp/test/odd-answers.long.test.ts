import { fileURLToPath } from 'node:url';
import { useInTest } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { maxMessageBytes } from '../src/bounded-response.ts';
import { HttpToy } from './http-toy.ts';
import { run, startMcp, toyServer } from './mcp-stage.ts';

const eras = ['legacy', 'modern'] as const;
const events = { headers: { 'content-type': 'text/event-stream' } };
const json = { headers: { 'content-type': 'application/json' } };
const tooMuch = 'a'.repeat(maxMessageBytes);

/** Starts a server that gives this response to calls, and correct ones otherwise. */
async function answering(era: 'legacy' | 'modern', answer: (id: unknown) => Response) {
  const guard = async (request: Request) => {
    if (request.method !== 'POST') return undefined;
    const { method, id } = (await request.clone().json()) as { method?: string; id?: unknown };
    return method === 'tools/call' ? answer(id) : undefined;
  };
  const toy = await useInTest(new HttpToy(era, guard));
  return startMcp({ web: { url: toy.url } });
}

test.each(eras)(
  '[AGT4] a stream of the %s era that ends without an answer ends its call with an error',
  async (era) => {
    const server = await answering(era, () => new Response(': nothing\n\n', events));
    expect(await run(server, 'web__echo')).toMatchObject({ code: 'mcp_closed' });
  },
);

test.each(eras)('[AGT4, SEC6] an answer of the %s era that is too large is not read to its end', async (era) => {
  const result = (id: unknown) =>
    JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: tooMuch }] } });
  const answers = [
    (id: unknown) => new Response(result(id), json),
    (id: unknown) => new Response(`id: 1\ndata: ${result(id)}\n\n`, events),
  ];
  for (const answer of answers) {
    const server = await answering(era, answer);
    expect(await run(server, 'web__echo')).toEqual({
      code: 'mcp_error',
      message: 'The MCP server "web" sent more than 16 MB at once: the rest is not read.',
    });
  }
});

test('[AGT4, SEC6] a line of a local server that is too large ends its connection, which is then reopened', async () => {
  const server = await startMcp({ toy: toyServer('legacy') });
  expect(await run(server, 'toy__flood')).toMatchObject({
    code: 'mcp_error',
    message: expect.stringContaining('16 MB'),
  });
  expect(await run(server, 'toy__echo', { text: 'again' })).toBe('again');
});

const odd = fileURLToPath(new URL('odd-stdio.mjs', import.meta.url));
/** The settings of a local server that sends these messages. */
const saying = (said: object) => ({ odd: { command: process.execPath, args: [odd, JSON.stringify(said)] } });
const unreadable = (why: string) => ({
  code: 'mcp_error',
  message: `The MCP server "odd" was called, but its answer cannot be read: ${why}. Whether "order" took effect is not known.`,
});
const listed =
  '{"jsonrpc":"2.0","id":$id,"result":{"tools":[{"name":"order","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}}';
/** More levels than a recursive function can process. */
const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
const placed = '"result":{"content":[{"type":"text","text":"order 17 placed"}]';

test.each([
  [`{"jsonrpc":"2.0","id":$id,"error":null,${placed}}}`, 'order 17 placed'],
  [`{"jsonrpc":"2.0","id":$id,${placed},"isError":null,"_meta":null}}`, 'order 17 placed'],
  [`{"id":$id,${placed}}}`, 'order 17 placed'],
  [['{"level":30,"error":"of its log"}', `{"jsonrpc":"2.0","id":$id,${placed}}}`], 'order 17 placed'],
  ['{"jsonrpc":"2.0","id":$id,"result":null}', unreadable('its result is null')],
  [
    `{"jsonrpc":"2.0","id":$id,${placed},"structuredContent":{"price":NaN}}}`,
    unreadable('it has a number that JSON does not allow, such as NaN'),
  ],
  [
    '{"jsonrpc":"2.0","id":$id,"error":{"code":"E42","message":"full"}}',
    { code: 'mcp_error', message: 'The MCP server "odd" says: full ("E42")' },
  ],
  [
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no JSON"}}',
    { code: 'mcp_error', message: 'The MCP server "odd" says: no JSON' },
  ],
  [
    '{"jsonrpc":"2.0","id":$id,"error":{"code":-32099,"message":"used up"}}',
    { code: 'mcp_error', message: 'The MCP server "odd" says: used up' },
  ],
  [['{"level":30,"id":$id,"msg":"handling"}', `{"jsonrpc":"2.0","id":$id,${placed}}}`], 'order 17 placed'],
  [['[null]', 'null', '[]', `[{"jsonrpc":"2.0","id":$id,${placed}}}]`], 'order 17 placed'],
  [[deep, `\ufeff{"jsonrpc":"2.0","id":$id,${placed},"_meta":{"deep":null}}}`], 'order 17 placed'],
  [
    `{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"video","of":${deep}}]}}`,
    '(A part that cannot be read: nested too deep to be shown)',
  ],
  ['{"id":9,"method":"elicitation/create","params":["Sure?"]}', '{"action":"decline"}'],
])('[AGT4] a local server that says %.200s ends its call', async (said, result) => {
  const server = await startMcp(saying({ 'tools/call': said }));
  expect(await run(server, 'odd__order')).toEqual(result);
});

test.each(eras)('[AGT4] an answer of the %s era with a null in it is read, whole and as an event', async (era) => {
  const resultType = era === 'modern' ? ',"resultType":"complete"' : '';
  const answer = (id: unknown) => `{"jsonrpc":"2.0","id":${id},"error":null,${placed},"isError":null${resultType}}}`;
  const answers = [
    (id: unknown) => new Response(answer(id), json),
    (id: unknown) => new Response(`: here\nevent: message\ndata: ${answer(id)}\n\n`, events),
    (id: unknown) => new Response(`data: ${answer(id).replace(',"error"', '\ndata: ,"error"')}\n\n`, events),
  ];
  for (const each of answers) expect(await run(await answering(era, each), 'web__echo')).toBe('order 17 placed');
});

test.each(eras)(
  '[AGT4] an unreadable answer of the %s era ends its call, and the error says that the call was made',
  async (era) => {
    const answers = [
      (id: unknown) => new Response(`{"jsonrpc":"2.0","id":${id},"result":null}`, json),
      (id: unknown) => new Response(`data: {"jsonrpc":"2.0","id":${id},"result":{"x":NaN}}\n\n`, events),
      () => new Response('[]', json),
      () => new Response('{"jsonrpc":"2.0","id":"of-another","result":{}}', json),
      () => new Response('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}', json),
      () => new Response(null, { status: 202 }),
    ];
    for (const each of answers)
      expect(await run(await answering(era, each), 'web__echo')).toMatchObject({
        code: 'mcp_error',
        message: expect.stringContaining('Whether "echo" took effect is not known.'),
      });
  },
);

test('[AGT4] a response to a notification does not end a request', async () => {
  const refused = '{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}';
  const call = `{"jsonrpc":"2.0","id":$id,${placed}}}`;
  const server = await startMcp(
    saying({ 'notifications/initialized': refused, 'tools/call': [refused, call], 'tools/list': [refused, listed] }),
  );
  expect(await run(server, 'odd__order')).toBe('order 17 placed');
});

test('[AGT4] an invalid tool is left out, and the others are available', async () => {
  const tools =
    '[{"name":"bad","inputSchema":"x"},{"name":"order","description":null,"inputSchema":{"type":"object","properties":null},"annotations":{"readOnlyHint":true}}]';
  const server = await startMcp(
    saying({
      initialize:
        '{"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"2025-11-25","instructions":null,"capabilities":{"tools":{},"prompts":null},"serverInfo":{"name":"odd","version":"1","title":null}}}',
      'tools/list': `{"jsonrpc":"2.0","id":$id,"result":{"nextCursor":null,"tools":${tools}}}`,
      'tools/call': `{"jsonrpc":"2.0","id":$id,${placed}}}`,
    }),
  );
  expect(await run(server, 'odd__order')).toBe('order 17 placed');
  expect(await run(server, 'odd__bad')).toMatchObject({ code: 'unknown_tool' });
});

test('[AGT4] a part of a prompt with an unknown type affects only itself', async () => {
  const part = (content: string) => `{"role":"user","content":${content}}`;
  const messages = [part('{"type":"text","text":"Review."}'), part('{"type":"video"}')];
  const server = await startMcp(
    saying({
      initialize:
        '{"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{}},"serverInfo":{"name":"odd","version":"1"}}}',
      'prompts/get': `{"jsonrpc":"2.0","id":$id,"result":{"messages":[${messages}]}}`,
    }),
  );
  const result = JSON.stringify(await run(server, 'odd__get_prompt', { name: 'review' }));
  expect(result).toContain('Review.');
  expect(result).toContain('A part that cannot be read');
});

test('[AGT4] the settings choose the era of a server that speaks both', async () => {
  const discovered = '"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"';
  const said = {
    'server/discover': `{"jsonrpc":"2.0","id":$id,"result":{"resultType":"complete",${discovered}}}`,
    'tools/call': '{"jsonrpc":"2.0","id":$id,"result":{"content":[{"type":"text","text":"$heard"}]}}',
  };
  const entry = saying(said).odd;
  const servers = { auto: entry, old: { ...entry, protocol: '2025' }, new: { ...entry, protocol: '2026' } };
  const server = await startMcp(servers);
  expect(await run(server, 'auto__order')).not.toContain('initialize');
  expect(await run(server, 'old__order')).toMatch(/^initialize,/);
  expect(await run(server, 'new__order')).not.toContain('initialize');
});
