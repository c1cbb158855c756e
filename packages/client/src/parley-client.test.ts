import { burstSeconds, closeCodes, limits, RefusalError, TokenBucket } from '@parleyhq/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ParleyClient } from './parley-client.ts';
import { FakeServer, makeRequest, makeTurn } from './testing/index.ts';
import { connectDirect } from './transports/direct.ts';

let server: FakeServer;
let client: ParleyClient;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-31T12:00:00Z') });
  server = new FakeServer();
  server.addSession('s');
  client = openClient('tab');
});

afterEach(() => {
  client.stop();
  vi.useRealTimers();
});

const settle = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

function openClient(clientId: string): ParleyClient {
  const opened = new ParleyClient({ transport: connectDirect(server.openPipe), clientId, label: 'Test' });
  opened.start();
  return opened;
}

/** Starts a call with one open prompt. */
function ask(id = 'call.1', part = {}) {
  const [toolCallId = ''] = id.split('.');
  const call = { toolCallId, toolName: 'deploy', args: {}, authorised: { by: 'tool' } } as const;
  const request = makeRequest(id, part);
  server.append(
    's',
    { type: 'user_message', payload: { messageId: `m-${id}`, text: 'Go', origin: 'user' }, turnId: 't' },
    { type: 'turn_start', payload: { trigger: 'user', agent: 'fake', owner: 'fake' }, turnId: 't' },
    { type: 'tool_call', payload: call, turnId: 't' },
    { type: 'interaction_request', payload: request, turnId: 't' },
  );
  return request;
}

test('[FRM2] hello comes first and says who connects and whether prompts can be answered here', async () => {
  await settle();
  expect(server.received[0]).toEqual({
    type: 'hello',
    protocol: 1,
    clientId: 'tab',
    label: 'Test',
    interaction: { supported: true, enabled: true },
  });
  expect(client.state).toMatchObject({ connection: 'open', welcome: { principal: { role: 'operator' } } });
});

test('[FRM4] two missed pongs end the connection; the next one resumes from the cursor', async () => {
  const session = client.open('s');
  await settle();
  server.append('s', ...makeTurn(1));
  await settle();
  server.isAnswering = false;
  await settle(46_000);
  expect(client.state.connection).toBe('reconnecting');
  server.isAnswering = true;
  server.drop();
  server.append('s', ...makeTurn(2));
  await settle(20_000);
  const [again] = server.received.filter((frame) => frame.type === 'subscribe').slice(-1);
  expect(again).toMatchObject({ cursor: { epoch: 'epoch-1', seq: 9 } });
  expect(session.state).toMatchObject({ phase: 'live', lastSeq: 18, firstSeq: 1 });
});

test('[FRM4] a page that becomes visible again skips the backoff', async () => {
  await settle();
  server.drop();
  client.reconnectNow();
  await settle();
  expect(client.state.connection).toBe('open');
});

test('[FRM3] after a final close code there is no retry', async () => {
  await settle();
  server.drop(closeCodes.unauthorised);
  await settle(120_000);
  expect(client.state).toMatchObject({ connection: 'refused', closeCode: 4401 });
  expect(server.connectionCount).toBe(0);
});

test('[FRM4] the client keeps the server’s time', async () => {
  server.now = () => Date.now() + 90_000;
  server.drop();
  await settle(1000);
  expect(client.now() - Date.now()).toBe(90_000);
});

test('[FRM6] an unacknowledged answer is sent again with the same answerId', async () => {
  const session = client.open('s');
  await settle();
  const request = ask();
  await settle();
  server.isAnswering = false;
  const answered = session.respond(request, { action: 'approve' });
  expect(session.answers.get('call.1')?.status).toBe('sending');
  server.isAnswering = true;
  server.drop();
  await settle(2000);
  await answered;
  const sent = server.received.filter((frame) => frame.type === 'tool_interaction_response');
  expect(sent).toHaveLength(2);
  expect(sent[0]?.answerId).toBe(sent[1]?.answerId);
  expect(session.answers.size).toBe(0);
  expect(session.state.head.prompts).toEqual([]);
});

test('[FRM6, INT17] an unacknowledged answer survives its page, unless it holds a secret', async () => {
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
  const open = () => {
    const opened = new ParleyClient({ transport: connectDirect(server.openPipe), clientId: 'tab', storage });
    opened.start();
    return opened;
  };
  const first = open();
  const session = first.open('s');
  await settle();
  const request = ask();
  await settle();
  server.isAnswering = false;
  const secret = { type: 'form', fields: [{ id: 'password', type: 'secret', label: 'Password' }] } as const;
  for (const asked of [request, { ...makeRequest('call9.1'), inputSchema: secret }])
    session.respond(asked as typeof request, { action: 'approve' }).catch(() => undefined);
  expect([...items.values()].join()).not.toContain('call9.1');
  await settle();
  const [sent] = server.received.filter((frame) => frame.type === 'tool_interaction_response');
  first.stop();
  server.isAnswering = true;

  const second = open();
  const again = second.open('s');
  expect(again.answers.get('call.1')?.status).toBe('sending');
  await settle();
  const answers = server.received.filter((frame) => frame.type === 'tool_interaction_response');
  expect(answers.at(-1)?.answerId).toBe(sent?.answerId);
  expect(again.answers.size).toBe(0);
  expect(items.size).toBe(0);
  second.stop();
});

test('[FRM6] a message written while disconnected is sent once, with its messageId', async () => {
  const session = client.open('s');
  await settle();
  server.drop();
  const sent = session.send('Hello');
  await settle(2000);
  const messageId = await sent;
  expect(server.log('s').filter((event) => event.type === 'user_message')).toMatchObject([{ payload: { messageId } }]);
});

test('[SEC6] a request that is too large for a frame is rejected here, and not sent', async () => {
  const session = client.open('s');
  await settle();
  const connections = server.received.filter(({ type }) => type === 'hello').length;
  await expect(session.send('ä'.repeat(limits.frameBytes / 2))).rejects.toMatchObject({ code: 'bad_frame' });
  await settle();
  expect(server.received.filter(({ type }) => type === 'user_message')).toEqual([]);
  expect(server.received.filter(({ type }) => type === 'hello')).toHaveLength(connections);
  const sent = session.send('x'.repeat(limits.frameBytes - 1000));
  await settle();
  await sent;
});

test('[INT10] the client retries after retry_later', async () => {
  const session = client.open('s');
  await settle();
  const request = ask();
  let refusals = 2;
  server.refuse = (frame) =>
    frame.type === 'tool_interaction_response' && refusals-- > 0 ? new RefusalError('retry_later') : undefined;
  const answered = session.respond(request, { action: 'deny', reason: 'no' });
  await settle(2000);
  await answered;
  expect(server.log('s').at(-1)).toMatchObject({ type: 'interaction_response', payload: { reason: 'no' } });
});

test('[SEC6, FRM6] any number of queued requests are sent in order, and no faster than the server accepts', async () => {
  await settle();
  server.drop();
  server.received.length = 0;
  const queries = Array.from({ length: 400 }, (_, n) => `n ${n}`);
  const asked = Promise.all(queries.map((query) => client.request({ type: 'list_sessions', query })));
  const bucket = new TokenBucket({ perSecond: limits.framesPerSecond, burst: limits.framesPerSecond * burstSeconds });
  const late: string[] = [];
  server.refuse = (frame) => {
    if (!bucket.take(performance.now())) late.push(frame.type);
    return undefined;
  };
  await settle(20_000);
  await asked;
  expect(late).toEqual([]);
  const received = server.received.flatMap((frame) => (frame.type === 'list_sessions' ? [frame.query] : []));
  expect(received).toEqual(queries);
});

test('[SEC6] the client retries after rate_limited', async () => {
  const session = client.open('s');
  await settle();
  let refusals = 2;
  server.refuse = (frame) =>
    frame.type === 'user_message' && refusals-- > 0 ? new RefusalError('rate_limited') : undefined;
  const sent = session.send('Hello');
  await settle(2000);
  await sent;
  expect(server.log('s').filter(({ type }) => type === 'user_message')).toHaveLength(1);
});

test('[WEB5] a second answer is not sent while the first is being sent', async () => {
  const session = client.open('s');
  await settle();
  const request = ask();
  await Promise.all([
    session.respond(request, { action: 'approve' }),
    session.respond(request, { action: 'deny' }),
    settle(),
  ]);
  expect(server.received.filter((frame) => frame.type === 'tool_interaction_response')).toHaveLength(1);
});

test('[INT5] a client whose answer was too late has nothing pending and sees the accepted answer', async () => {
  const other = openClient('other');
  const [mine, theirs] = [client.open('s'), other.open('s')];
  await settle();
  const request = ask();
  const won = theirs.respond(request, { action: 'deny' });
  const lost = mine.respond(request, { action: 'approve' });
  await Promise.all([won, expect(lost).rejects.toMatchObject({ code: 'already_answered' }), settle()]);
  expect(mine.answers.get('call.1')).toMatchObject({ status: 'refused', error: { code: 'already_answered' } });
  expect(mine.state.items.get('interaction:call.1')).toMatchObject({
    response: { payload: { action: 'deny', by: { clientId: 'other' } } },
  });
  other.stop();
});

test('[INT19] a stopped turn returns a queued message once, and only to clients that were connected', async () => {
  const session = client.open('s');
  await settle();
  ask();
  const returned = vi.fn();
  session.onReturned(returned);
  await Promise.all([session.send('Later'), settle()]);
  expect(session.state.head.queue).toHaveLength(1);
  await Promise.all([session.cancelTurn(), settle()]);
  expect(returned.mock.calls).toEqual([
    ['Later', expect.objectContaining({ clientId: 'tab', principal: 'owner' }), []],
  ]);

  const late = openClient('tab');
  const again = vi.fn();
  late.open('s').onReturned(again);
  await settle();
  expect(again).not.toHaveBeenCalled();
  late.stop();
});

test('[RPL1] a listener gets each event once and in order, even if the connection breaks', async () => {
  server.append('s', ...makeTurn(1));
  const session = client.open('s');
  const seqs: number[] = [];
  session.onEvents((events) => {
    expect(session.state.lastSeq).toBe(events.at(-1)?.seq);
    seqs.push(...events.map(({ seq }) => seq));
  });
  await settle();
  server.append('s', ...makeTurn(2));
  server.drop();
  server.append('s', ...makeTurn(3));
  await settle(2000);
  server.append('s', ...makeTurn(4));
  await settle();
  server.sendToAll({ type: 'chat_event', sessionId: 's', event: {} } as never); // makes the client read the session again
  await settle();
  server.append('s', ...makeTurn(5));
  await settle();
  expect(server.received.filter(({ type }) => type === 'subscribe')).toHaveLength(3);
  expect(seqs).toEqual(server.log('s').map(({ seq }) => seq));
  server.epoch = 'epoch-2';
  server.drop();
  await settle(2000);
  expect(seqs.slice(server.log('s').length)).toEqual(server.log('s').map(({ seq }) => seq));
});

test('[INT15] turning interaction on or off is sent at once and with each hello', async () => {
  await settle();
  await Promise.all([client.setInteractionEnabled(false), settle()]);
  server.drop();
  await settle(2000);
  const hellos = server.received.filter((frame) => frame.type === 'hello');
  expect(hellos.map((hello) => hello.interaction?.enabled)).toEqual([true, false]);
});

test('[OPS5] a session that does not exist is reported as gone', async () => {
  const session = client.open('nowhere');
  await settle();
  expect(session.state.phase).toBe('gone');
});

test('[FRM6] a request that is not safe to repeat fails with the connection', async () => {
  const session = client.open('s');
  await settle();
  server.isAnswering = false;
  const cancelled = expect(session.cancelTurn()).rejects.toMatchObject({ name: 'ConnectionLostError' });
  server.drop();
  await cancelled;
});

test('[FRM4] a request made before the connection opens is sent once, when it does', async () => {
  await settle();
  server.received.length = 0;
  const early = openClient('early');
  expect(early.state.connection).toBe('connecting');
  const cancelled = early
    .open('s')
    .cancelTurn()
    .catch((error: RefusalError) => error.code);
  await settle();
  expect(await cancelled).toBe('no_turn');
  expect(server.received.map(({ type }) => type).toSorted()).toEqual(['cancel_turn', 'hello', 'subscribe']);
  early.stop();
});
