import { useInTest } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { maxMessageBytes } from '../src/bounded-response.ts';
import { HttpToy } from './http-toy.ts';
import { run, startMcp, toyServer } from './mcp-stage.ts';

const eras = ['legacy', 'modern'] as const;
const events = { headers: { 'content-type': 'text/event-stream' } };
const json = { headers: { 'content-type': 'application/json' } };
const tooMuch = 'a'.repeat(maxMessageBytes);

/** A server whose calls are answered so, and which is a good one otherwise. */
async function answering(era: 'legacy' | 'modern', answer: (id: unknown) => Response) {
  const guard = async (request: Request) => {
    if (request.method !== 'POST') return undefined;
    const { method, id } = (await request.clone().json()) as { method?: string; id?: unknown };
    return method === 'tools/call' ? answer(id) : undefined;
  };
  const toy = await useInTest(new HttpToy(era, guard));
  return startMcp({ web: { url: toy.url } });
}

test.each(eras)('[AGT4] a stream of the %s era that ends without an answer ends its call in words', async (era) => {
  const server = await answering(era, () => new Response(': nothing\n\n', events));
  expect(await run(server, 'web__echo')).toMatchObject({ code: 'mcp_closed' });
});

test.each(eras)('[AGT4, SEC6] of an answer of the %s era that is too large the rest is not read', async (era) => {
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
      message: 'The MCP server "web" says more than 16 MB at once: the rest is not read.',
    });
  }
});

test('[AGT4, SEC6] a line of a local server that is too large ends its connection, which is made anew', async () => {
  const server = await startMcp({ toy: toyServer('legacy') });
  expect(await run(server, 'toy__flood')).toMatchObject({
    code: 'mcp_error',
    message: expect.stringContaining('16 MB'),
  });
  expect(await run(server, 'toy__echo', { text: 'again' })).toBe('again');
});
