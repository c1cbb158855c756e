import { dirname } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { EventStream } from '../support/event-stream.ts';
import { useGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin } from '../support/journey.ts';
import { pluginOf } from '../support/plugin-file.ts';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
}

interface Described {
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

const server = useGuardedServer({
  assetsDir: dirname(pluginOf('<!doctype html>', 'index.html')),
  plugins: [await loadPlugin('asking.mjs')],
});
let api: Description;
let ajv: Ajv2020;

beforeAll(async () => {
  api = (await (await fetch(`${server.origin}/api/openapi.json`)).json()) as Description;
  ajv = new Ajv2020({ strict: false, validateFormats: false, schemas: { api } });
});

const operations = () =>
  Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

/** Converts a path to the router's syntax. */
const routeOf = (path: string) => path.replace('{path}', '*').replace(/\{(\w+)\}/g, ':$1');

/** Returns the parts of a value that do not fit a schema of the description. */
function faultsOf(value: unknown, ...steps: readonly string[]): unknown {
  const pointer = steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
  const fits = ajv.compile({ $ref: `api#/${pointer.join('/')}` });
  return fits(value) ? undefined : fits.errors;
}

/** Sends a request. @returns the parts of its response that do not fit the description */
async function exchange(method: string, path: string, { at = path, ...init }: RequestInit & { at?: string } = {}) {
  const headers = {
    Authorization: `Bearer ${server.token}`,
    'Content-Type': 'application/json',
    Connection: 'close', // schemas are compiled between requests, for longer than an idle connection lives
    ...init.headers,
  };
  const url = server.origin + at;
  const response = await fetch(url, { ...init, method, headers, signal: AbortSignal.timeout(15_000) });
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  const responses = api.paths[path]?.[method.toLowerCase()]?.responses ?? {};
  const status = String(response.status) in responses ? String(response.status) : 'default';
  const { content } = responses[status] ?? {};
  if (type === 'text/event-stream') {
    await response.body?.cancel();
    return { status, faults: content && type in content ? undefined : `no ${type}` };
  }
  const text = await response.text();
  if (type !== 'application/json') return { status, faults: text === '' || content ? undefined : 'not described' };
  const body = JSON.parse(text);
  const schema = ['paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema'];
  return { status, body, faults: faultsOf(body, ...schema) };
}

test('[ASK8] the description is valid OpenAPI 3.1', async () => {
  const { valid, errors } = await new Validator().validate({ ...structuredClone(api) });
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(api).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./) });
});

test('[ASK8] it has every route of the server, and no other', () => {
  const described = operations().map(({ method, path }) => `${method} ${routeOf(path)}`);
  const routes = server.local.server.routes.map(({ method, path }) => `${method} ${path}`);
  expect(described.sort()).toEqual([...new Set(routes)].sort());
});

test('[ASK8] every path responds as described to a request with its example', async () => {
  for (const { method, path, operation } of operations()) {
    const { example } = operation.requestBody?.content['application/json'] ?? {};
    const body = example === undefined ? {} : { body: JSON.stringify(example) };
    const told = await exchange(method, path, { at: path.replace(/\{\w+\}/g, 'x'), ...body });
    expect([method, path, told.faults]).toEqual([method, path, undefined]);
  }
});

test('[ASK8] its examples match its schemas', () => {
  const examples = operations().flatMap(({ method, path, operation: { requestBody, responses } }) => {
    const at = ['paths', path, method.toLowerCase()];
    const media = [
      [[...at, 'requestBody'], requestBody?.content],
      ...Object.entries(responses).map(([status, { content }]) => [[...at, 'responses', status], content] as const),
    ] as const;
    return media.flatMap(([steps, content = {}]) =>
      Object.entries(content)
        .filter(([, { example }]) => example !== undefined)
        .map(([type, { example }]) => ({ example, steps: [...steps, 'content', type, 'schema'] })),
    );
  });
  expect(examples.length).toBeGreaterThan(15);
  for (const { example, steps } of examples) expect([steps, faultsOf(example, ...steps)]).toEqual([steps, undefined]);
  expect(
    faultsOf({ channel: 'a b' }, 'paths', '/api/calls', 'post', 'requestBody', 'content', 'application/json', 'schema'),
  ).toBeDefined();
});

test('[ASK8, TRN2] a question, its wait, its answer and its withdrawal match the description', async () => {
  const ask = (callId: string, wait = 0) =>
    exchange('POST', '/api/calls', {
      at: `/api/calls?wait=${wait}`,
      body: JSON.stringify({ channel: 'c', callId, toolName: 'ask_one', args: { question: 'Well?' } }),
    });
  const begun = await ask('one');
  expect(begun).toMatchObject({ status: '202', faults: undefined });
  const { sessionId, toolCallId } = begun.body;
  const listed = () => exchange('GET', '/api/interactions');
  await expect.poll(async () => (await listed()).body.openTotal).toBe(1); // the call is stored before it asks
  const inbox = await listed();
  expect(inbox).toMatchObject({ status: '200', faults: undefined });
  const { interactionId } = inbox.body.open[0].interaction;
  const path = '/api/sessions/{sessionId}/interactions/{interactionId}/response';
  const at = `/api/sessions/${sessionId}/interactions/${interactionId}/response`;
  const answer = (value: string) =>
    exchange('POST', path, { at, body: JSON.stringify({ action: 'submit', input: { answer: value } }) });
  expect(await answer('yes')).toMatchObject({ status: '200', faults: undefined });
  expect(await answer('no')).toMatchObject({ status: '409', faults: undefined });
  expect(await ask('one', 5)).toMatchObject({ status: '200', faults: undefined, body: { result: { answer: 'yes' } } });
  const call = '/api/calls/{toolCallId}';
  expect(await exchange('DELETE', call, { at: `/api/calls/${toolCallId}` })).toMatchObject({
    ...{ status: '200', faults: undefined, body: { withdrawn: false } },
  });
  const other = (await ask('two')).body.toolCallId;
  expect(await exchange('DELETE', call, { at: `/api/calls/${other}` })).toMatchObject({
    status: '200',
    faults: undefined,
  });
  expect(await exchange('GET', call, { at: `/api/calls/${other}` })).toMatchObject({
    ...{ status: '200', faults: undefined, body: { error: { code: 'withdrawn' } } },
  });
});

test('[TRN1] frames and their replies match the description', async () => {
  const stream = await EventStream.open(`${server.origin}/api/stream`, { Authorization: `Bearer ${server.token}` });
  onTestFinished(() => stream.close());
  const headers = await stream.connection();
  const frames = [
    { type: 'list_sessions', requestId: 'r1' },
    { type: 'cancel_turn', requestId: 'r2', sessionId: 'nobody' },
  ];
  for (const body of [...frames, frames, { type: 'ping' }])
    expect(await exchange('POST', '/api/frames', { headers, body: JSON.stringify(body) })).toMatchObject({
      faults: undefined,
    });
  for (const frame of stream.frames) expect(faultsOf(frame, 'components', 'schemas', 'ServerFrame')).toBeUndefined();
});

test('[TEAM3, ASK8] it describes the reply to a vote that decides nothing', () => {
  const path = '/api/sessions/{sessionId}/interactions/{interactionId}/response';
  const schema = api.paths[path]?.post?.responses['200']?.content?.['application/json']?.schema ?? {};
  const fits = ajv.compile(schema);
  expect(fits({ ok: true, seq: 7, vote: true, votes: { approve: 1, deny: 0 } })).toBe(true);
  expect(fits({ ok: true, seq: 7, votes: { approve: 'one' } })).toBe(false);
});
