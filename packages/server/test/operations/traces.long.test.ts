import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../support/use-server.ts';

/** A span as OTLP has it in JSON. */
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status: { readonly code?: number };
}

const example = new URL('../../../../docs/examples/tracing.mjs', import.meta.url).href;
const milliseconds = (nanoseconds: string) => Number(BigInt(nanoseconds) / 1_000_000n);

/** Starts an OTLP collector over HTTP. @returns what it received, and the settings that make a server send it there */
async function startCollector() {
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url === '/v1/traces') bodies.push(Buffer.concat(chunks).toString());
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const spans = () =>
    bodies.flatMap((body): Span[] =>
      JSON.parse(body).resourceSpans.flatMap(({ scopeSpans }: { scopeSpans: { spans: Span[] }[] }) =>
        scopeSpans.flatMap((scope) => scope.spans),
      ),
    );
  const env = {
    NODE_OPTIONS: `--import=${example}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_BSP_SCHEDULE_DELAY: '50',
  };
  return { env, bodies, spans };
}

const attributesOf = ({ attributes }: Span) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

test('[OPS7] a turn, its call and the wait for a person are spans, with times from the log and without a value', async () => {
  const { env, bodies, spans } = await startCollector();
  const server = await startServer({ env });
  const tab = await server.open();
  const session = await tab.createSession();
  await tab.follow(session);
  await tab.say(session, '/call ask_user {"question":"canary question","options":["canary-answer","no"]}');
  const request = await tab.event(session, 'interaction_request');
  await tab.answer(session, request.payload, { action: 'submit', input: { answer: 'canary-answer' } });
  const response = await tab.event(session, 'interaction_response');
  const { timestamp: ended } = await tab.event(session, 'turn_end');
  const { timestamp: begun } = await tab.event(session, 'turn_start');
  await expect.poll(() => spans().length, { timeout: 30_000 }).toBe(3);
  const find = (name: string) => spans().find((span) => span.name === name) as Span;
  const [turn, call, wait] = [find('invoke_agent demo'), find('execute_tool ask_user'), find('wait_for_person')];
  expect([call.parentSpanId, wait.parentSpanId]).toEqual([turn.spanId, call.spanId]);
  expect(new Set([turn, call, wait].map(({ traceId }) => traceId)).size).toBe(1);
  const times = [turn, wait].flatMap((span) => [span.startTimeUnixNano, span.endTimeUnixNano].map(milliseconds));
  expect(times).toEqual([begun, ended, request.timestamp, response.timestamp].map((time) => Date.parse(time)));
  expect(attributesOf(turn)).toMatchObject({ 'gen_ai.conversation.id': session, 'parley.turn.status': 'completed' });
  expect(attributesOf(call)).toMatchObject({ 'gen_ai.tool.name': 'ask_user', 'gen_ai.operation.name': 'execute_tool' });
  expect(attributesOf(wait)).toMatchObject({
    'parley.interaction.id': request.payload.interactionId,
    'parley.interaction.outcome': 'submit',
  });
  expect(bodies.join()).not.toContain('canary');
});

test('[OPS7] a wait that a restart interrupted is one span, from the question to the answer; a denial is not an error', async () => {
  const { env, spans } = await startCollector();
  const server = await startServer({ env });
  const before = await server.open();
  const session = await before.createSession();
  await before.follow(session);
  await before.say(session, '/call run_command {"command":"ls"}');
  const request = await before.event(session, 'interaction_request');
  await server.restart();
  const tab = await server.open();
  await tab.follow(session);
  await tab.event(session, 'turn_resumed');
  await tab.answer(session, request.payload, { action: 'deny' });
  const response = await tab.event(session, 'interaction_response');
  await tab.event(session, 'turn_end');
  await expect.poll(() => spans().map(({ name }) => name), { timeout: 30_000 }).toContain('invoke_agent demo');
  const [wait, ...others] = spans().filter(({ name }) => name === 'wait_for_person') as [Span];
  expect(others).toEqual([]);
  const times = [wait.startTimeUnixNano, wait.endTimeUnixNano].map(milliseconds);
  expect(times).toEqual([request.timestamp, response.timestamp].map((time) => Date.parse(time)));
  const call = spans().find(({ name }) => name === 'execute_tool run_command') as Span;
  expect([attributesOf(call)['error.type'], call.status.code]).toEqual(['denied', 1]);
  const turn = spans().find(({ name }) => name === 'invoke_agent demo') as Span;
  expect(attributesOf(turn)).toMatchObject({ 'parley.turn.resumed': true, 'parley.turn.status': 'completed' });
});

test('[OPS7, DUR10] the wait of a call that slept after a restart is a span of that call, although it ended before the call woke', async () => {
  const { env, spans } = await startCollector();
  const server = await startServer({ env });
  const before = await server.open();
  const session = await before.createSession();
  await before.follow(session);
  await before.say(session, '/call ask_user {"question":"Which?"}');
  const request = await before.event(session, 'interaction_request');
  await server.restart();
  const tab = await server.open();
  await tab.follow(session);
  await tab.answer(session, request.payload, { action: 'submit', input: { answer: 'this' } });
  const response = await tab.event(session, 'interaction_response');
  const resumed = await tab.event(session, 'turn_resumed');
  expect(resumed.seq).toBeGreaterThan(response.seq);
  await expect.poll(() => spans().map(({ name }) => name), { timeout: 30_000 }).toContain('invoke_agent demo');
  const [wait, call] = ['wait_for_person', 'execute_tool ask_user'].map((name) =>
    spans().find((span) => span.name === name),
  ) as [Span, Span];
  expect(wait.parentSpanId).toBe(call.spanId);
  const times = [wait.startTimeUnixNano, wait.endTimeUnixNano].map(milliseconds);
  expect(times).toEqual([request.timestamp, response.timestamp].map((time) => Date.parse(time)));
});
