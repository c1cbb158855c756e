import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ParleyClient } from './parley-client.ts';
import { FakeServer, makeRequest } from './testing/index.ts';
import { connectDirect } from './transports/direct.ts';

const items = new Map<string, string>();
const storage = {
  getItem: (key: string) => items.get(key) ?? null,
  setItem: (key: string, value: string) => void items.set(key, value),
  removeItem: (key: string) => void items.delete(key),
};
let server: FakeServer;
let client: ParleyClient;

beforeEach(() => {
  vi.useFakeTimers();
  items.clear();
  server = new FakeServer();
  server.addSession('s');
  client = start();
});

afterEach(() => {
  client.stop();
  vi.useRealTimers();
});

const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const sent = (type: string) => server.received.filter((frame) => frame.type === type);

function start(): ParleyClient {
  const started = new ParleyClient({ transport: connectDirect(server.openPipe), clientId: 'tab', storage });
  started.start();
  return started;
}

function ask() {
  const request = makeRequest('call.1');
  const call = { toolCallId: 'call', toolName: 'deploy', args: {}, authorised: { by: 'tool' } } as const;
  server.append(
    's',
    { type: 'turn_start', payload: { trigger: 'user', agent: 'fake', owner: 'fake' }, turnId: 't' },
    { type: 'tool_call', payload: call, turnId: 't' },
    { type: 'interaction_request', payload: request, turnId: 't' },
  );
  return request;
}

/** Gives an answer while the connection is down. */
async function answerOffline() {
  const session = client.open('s');
  await settle();
  const request = ask();
  await settle();
  server.drop();
  const answered = session.respond(request, { action: 'approve' });
  const written = session.send('Mine');
  return { session, results: Promise.allSettled([answered, written]) };
}

test('[SEC4, FRM6] a request made while disconnected is not sent as another principal’s', async () => {
  const { session, results } = await answerOffline();
  server.principal = { id: 'other', role: 'operator' };
  await settle(2000);
  expect(client.state.welcome?.principal.id).toBe('other');
  const refused = { status: 'rejected', reason: { code: 'unauthorised' } };
  expect(await results).toMatchObject([refused, refused]);
  expect([...sent('tool_interaction_response'), ...sent('user_message')]).toEqual([]);
  expect(session.answers.size).toBe(0);
  expect(items.size).toBe(0);
  expect(sent('subscribe').at(-1)).not.toHaveProperty('cursor'); // the first principal's state was dropped
  expect(session.state).toMatchObject({ phase: 'live', lastSeq: 3 });
});

test('[SEC4, FRM6] a kept answer is sent again only as its author’s', async () => {
  void (await answerOffline()).results;
  const [[key, value] = ['', '']] = items;
  client.stop();
  server.principal = { id: 'other', role: 'operator' };
  client = start();
  const session = client.open('s');
  await settle();
  expect(sent('tool_interaction_response')).toEqual([]);
  expect(session.answers.size).toBe(0);
  expect(items.size).toBe(0);

  client.stop();
  items.set(key, value);
  server.principal = { id: 'owner', role: 'operator' };
  client = start();
  client.open('s');
  await settle();
  expect(sent('tool_interaction_response')).toHaveLength(1);
});

test('[SEC4, FRM6] a session that is opened later does not send another principal’s kept answer', async () => {
  void (await answerOffline()).results;
  client.stop();
  server.principal = { id: 'other', role: 'operator' };
  client = start();
  await settle();
  client.open('s');
  await settle();
  expect(sent('tool_interaction_response')).toEqual([]);
  expect(items.size).toBe(0);
});
