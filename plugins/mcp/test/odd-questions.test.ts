import { fileURLToPath } from 'node:url';
import type { PersonTab } from '@parleyhq/client/process';
import { type TestServer, useInTest } from '@parleyhq/server/testing';
import { describe, expect, test } from 'vitest';
import { HttpToy } from './http-toy.ts';
import { begin, startMcp } from './mcp-stage.ts';

const odd = fileURLToPath(new URL('odd-stdio.mjs', import.meta.url));

/** Servers that ask with these raw parameters while a call runs, and return the answer they receive. */
const servers = {
  async legacy(params: object): Promise<[TestServer, tool: string]> {
    const asks = { jsonrpc: '2.0', id: 'q', method: 'elicitation/create', params };
    const args = [odd, JSON.stringify({ 'tools/call': JSON.stringify(asks) })];
    return [await startMcp({ odd: { command: process.execPath, args } }), 'odd__order'];
  },
  /** @param isHeard - the call returns once this resolves */
  async modern(params: object, isHeard?: Promise<void>): Promise<[TestServer, tool: string]> {
    const guard = async (request: Request) => {
      if (request.method !== 'POST') return undefined;
      const { method, id, params: given } = (await request.clone().json()) as Request2026;
      if (method !== 'tools/call') return undefined;
      const answer = given.inputResponses?.q;
      if (answer !== undefined) await isHeard;
      const asks = { resultType: 'input_required', inputRequests: { q: { method: 'elicitation/create', params } } };
      const done = { resultType: 'complete', content: [{ type: 'text', text: JSON.stringify(answer) }] };
      return Response.json({ jsonrpc: '2.0', id, result: answer === undefined ? asks : done });
    };
    const toy = await useInTest(new HttpToy('modern', guard));
    return [await startMcp({ web: { url: toy.url } }), 'web__echo'];
  },
};

interface Request2026 {
  readonly method: string;
  readonly id: number;
  readonly params: { readonly inputResponses?: { readonly q?: unknown } };
}

async function told(journey: PersonTab): Promise<unknown> {
  return JSON.parse((await journey.result()).result as string);
}

const level = { enum: [1, 2, null], title: 'Level' };

describe.each(['legacy', 'modern'] as const)('a server of the %s era', (era) => {
  test('[AGT4] asks with schemas beyond those of the protocol, and is answered in their values', async () => {
    const [server, tool] = await servers[era]({
      mode: null,
      message: 'Which?',
      requestedSchema: {
        type: 'object',
        title: null,
        properties: {
          id: { type: 'string', format: 'uuid', title: null },
          at: { type: 'string', format: 'time' },
          wait: { type: 'string', format: 'duration' },
          sure: { enum: ['Yes', 'No'] },
          only: { const: 7 },
          level: { $ref: '#/$defs/level' },
          nick: { anyOf: [{ type: 'string' }, { type: 'null' }], default: null },
        },
        required: ['id', 'level'],
        $defs: { level },
      },
    });
    const journey = await begin(server);
    const prompt = await journey.ask(tool);
    const types = prompt.inputSchema!.fields.map(({ type }) => type);
    expect(types).toEqual(['text', 'time', 'text', 'radio', 'radio', 'radio', 'text']);
    const content = { id: '7b8e', at: '09:30', wait: 'PT5M', sure: 'No', only: 7, level: 2 };
    await journey.submit(prompt, { ...content, only: '7', level: '2' });
    expect(await told(journey)).toEqual({ action: 'accept', content });
  });

  test.each([
    ['no form at all', {}],
    ['required: null without properties', { message: 'Sure?', requestedSchema: { type: 'object', required: null } }],
    ['an object within', { requestedSchema: { type: 'object', properties: { a: { type: 'object' } } } }],
    ['an unknown mode', { mode: 'voice', message: 'Say it.' }],
  ])('[AGT4] that asks with %s is declined', async (_, params) => {
    const [server, tool] = await servers[era](params);
    const journey = await begin(server);
    await journey.call(tool);
    expect(await told(journey)).toEqual({ action: 'decline' });
    expect(journey.events('interaction_request')).toEqual([]);
  });
});

test('[AGT4] the call’s output shows why a question was declined', async () => {
  let hear: () => void = () => undefined;
  const [server, tool] = await servers.modern({ mode: 'voice' }, new Promise((resolve) => (hear = resolve)));
  const journey = await begin(server);
  const { session } = journey;
  const output = () => session.state.streams.find(({ kind }) => kind === 'tool_output')?.text ?? '';
  session.subscribe(() => output().includes('was declined: Parley does not know this kind of question') && hear());
  await journey.call(tool);
  expect(await told(journey)).toEqual({ action: 'decline' });
});
