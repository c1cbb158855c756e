import { beforeEach, expect, test } from 'vitest';
import { ClaudeHooks } from '../support/claude-hooks.ts';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';
import { Journey, loadPlugin, loadShippedPlugin } from '../support/journey.ts';

const large = '1234567890123456789';
const words = `the number ${large} is not kept exactly: send it as a text`;

/** Writes JSON with the number in place of the text "large". */
const write = (value: object): string => JSON.stringify(value).replaceAll('"large"', large);

let server: GuardedServer;
beforeEach(async () => {
  server = await startGuardedServer({
    plugins: [
      await loadShippedPlugin('ask-user'),
      await loadShippedPlugin('claude-code'),
      await loadPlugin('asking.mjs'),
    ],
  });
});

async function post(path: string, value: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${server.origin}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}`, ...headers },
    body: write(value),
  });
  return { status: response.status, body: (await response.json()) as object };
}

const approval = { title: 'Refund?', subject: { kind: 'text', text: 'order' }, args: { id: 'large' } };
const call = { channel: 'c', toolName: 'request_approval', args: approval };

test('[FRM1, APR2] no interface accepts a number that cannot be represented exactly, and each says which and where', async () => {
  const journey = await Journey.begin(server.local, { hello: { token: server.token } });
  const { tab, session } = journey;
  const prompt = await journey.ask('ask_one', { question: 'Ship it?' });

  tab.sendText(write({ type: 'call_tool', requestId: 'r', callId: 'k', from: { name: 'x' }, ...call }));
  expect(await tab.until((frame) => frame.type === 'reply' && frame.requestId === 'r')).toMatchObject({
    error: { code: 'bad_frame', message: expect.stringContaining(`args.args.id: ${words}`) },
  });

  const refused = (path: string) => ({
    status: 400,
    body: { error: { code: 'bad_frame', message: expect.stringContaining(`${path}: ${words}`) } },
  });
  expect(await post('/api/calls', call)).toMatchObject(refused('args.args.id'));
  const answer = { action: 'submit', input: { answer: 'large' } };
  const at = `/api/sessions/${session}/interactions/${prompt.interactionId}/response`;
  expect(await post(at, answer)).toMatchObject(refused('input.answer'));
  const hook = { session_id: 's', cwd: '/', hook_event_name: 'PermissionRequest', tool_name: 'mcp__shop__refund' };
  expect(await post('/hooks/claude', { ...hook, tool_input: { order: ['large'] } })).toMatchObject(
    refused('tool_input.order.0'),
  );
  expect(journey.events('interaction_request')).toHaveLength(1);
});

test('[FRM1, TRN1] no frame over HTTP is accepted with a number that cannot be represented exactly', async () => {
  const controller = new AbortController();
  const authorization = `Bearer ${server.token}`;
  const stream = await fetch(`${server.origin}/api/stream?protocol=1`, {
    headers: { authorization },
    signal: controller.signal,
  });
  const [chunk] = await Promise.all([stream.body?.getReader().read()]);
  const [, id = ''] = /"connectionId":"([^"]+)"/.exec(new TextDecoder().decode(chunk?.value)) ?? [];
  const frame = { type: 'call_tool', callId: 'k', from: { name: 'x' }, ...call };
  const said = await post('/api/frames', [{ type: 'ping' }, frame], { 'parley-connection': id });
  expect(said).toMatchObject({
    body: { code: 'bad_frame', message: expect.stringContaining(`1.args.args.id: ${words}`) },
  });
  controller.abort();
});

test('[FRM1, ASK6] an MCP client gets an error for its request that names the inexact number', async () => {
  const params = { name: 'request_approval', arguments: approval };
  const accept = 'application/json, text/event-stream';
  expect(await post('/mcp', { jsonrpc: '2.0', id: 7, method: 'tools/call', params }, { accept })).toEqual({
    status: 200,
    body: { jsonrpc: '2.0', id: 7, error: { code: -32602, message: `params.arguments.args.id: ${words}` } },
  });
});

test('[FRM1, AGT6] the demo agent and JSON in a string name the inexact number, and nobody is asked', async () => {
  const journey = await Journey.begin(server.local, { hello: { token: server.token } });
  const { seq } = await journey.tab.say(journey.session, `/call ask_one {"question": ${large}}`);
  expect(await journey.words(seq)).toContain(`question: ${words}`);
  const args = { ...approval, subject: write({ kind: 'text', text: 'large' }), args: {} };
  expect(await journey.run('request_approval', args)).toMatchObject({
    error: { code: 'invalid_args', message: expect.stringContaining(words) },
  });
});

test('[FRM1, ASK7] a hook with exact numbers is handled', async () => {
  const { token } = await server.makeToken({ role: 'asker', name: 'claude' });
  const hooks = new ClaudeHooks(server.origin, token);
  const journey = await Journey.begin(server.local, { hello: { token: server.token } });
  const asked = hooks.ask({ tool_name: 'mcp__shop__refund', tool_input: { order: 9007199254740991, at: 1.5 } });
  const { sessionId, interaction } = await journey.tab.waitFor('interaction_opened');
  await journey.tab.follow(sessionId);
  await journey.tab.answer(sessionId, interaction, { action: 'approve' });
  expect((await asked).body).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'allow' } } });
});
