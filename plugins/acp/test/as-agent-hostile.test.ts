import { methods } from '@agentclientprotocol/sdk';
import { joinTab } from '@parleyhq/client/process';
import { addToken, TestServer, type TokenOptions, useInFile } from '@parleyhq/server/testing';
import { expect, onTestFinished, test } from 'vitest';
import { acpEditor } from '../src/editor/index.ts';
import { AcpClient, choose, patience } from './acp-client.ts';
import { approval, askFor, asking } from './asking-plugin.ts';
import { RawSocket } from './raw-socket.ts';

const token = 'parley_of_the_owner';
const server = useInFile(new TestServer({ plugins: [acpEditor, asking], token }));

const bearer = (given: string) => ({ authorization: `Bearer ${given}` });

async function tokenOf(part: TokenOptions): Promise<string> {
  return (await addToken(server, part)).token;
}

async function openRaw(): Promise<RawSocket> {
  const socket = await RawSocket.open(server.url, bearer(token));
  if (typeof socket === 'number') throw new Error(`refused with ${socket}`);
  return socket;
}

async function joinAsOwner(sessionId: string) {
  const tab = await joinTab(server, sessionId, { token });
  onTestFinished(() => tab.close());
  return tab;
}

test('[ACP3, SEC3, SEC4] without a token of a person, or from a foreign page, there is no upgrade', async () => {
  const asker = bearer(await tokenOf({ role: 'asker' }));
  expect(await RawSocket.open(server.url)).toBe(401);
  expect(await RawSocket.open(server.url, bearer('parley_wrong'))).toBe(401);
  expect(await RawSocket.open(server.url, asker)).toBe(403);
  expect(await RawSocket.open(server.url, { ...bearer(token), origin: 'https://evil.example' })).toBe(403);
});

test('[ACP3, SEC4] a viewer reads, and neither talks nor is asked', async () => {
  const owner = await AcpClient.open(server, { token });
  const sessionId = await owner.create();
  const viewer = await AcpClient.open(server, { token: await tokenOf({ role: 'viewer', name: 'Vera' }) });
  await viewer.load(sessionId);
  const ending = owner.prompt(sessionId, askFor(approval));
  const question = await owner.question(0);
  await expect.poll(() => JSON.stringify(viewer.updates), patience).toContain('Other people are asked');
  await expect(viewer.prompt(sessionId, 'Hello')).rejects.toMatchObject({ code: -32_003, data: { code: 'forbidden' } });
  await expect(viewer.create()).rejects.toMatchObject({ code: -32_003, data: { code: 'forbidden' } });
  expect(viewer.questions).toEqual([]);
  question.answer(choose('once'));
  await ending;
});

test('[ACP3, SEC4] a session of others does not exist, and one that was not loaded takes no prompt', async () => {
  const owner = await AcpClient.open(server, { token });
  const [mine, other] = [await owner.create(), await owner.create()];
  const guest = await AcpClient.open(server, { token: await tokenOf({ role: 'responder', sessions: [mine] }) });
  const unknown = { code: -32_002, data: { code: 'not_found' } };
  for (const sessionId of [other, 'nobody', '../etc', ''])
    await expect(guest.load(sessionId)).rejects.toMatchObject(unknown);
  await expect(guest.prompt(mine, 'Hello')).rejects.toMatchObject(unknown);
  const { sessions } = await guest.agent.request(methods.agent.session.list, {});
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual([mine]);
});

test('[ACP3, TEAM1, TEAM5] a question hidden from an editor is asked once more people are', async () => {
  const owner = await AcpClient.open(server, { token });
  const sessionId = await owner.create();
  const bob = await AcpClient.open(server, { token: await tokenOf({ role: 'responder', name: 'Bob' }), name: 'bob' });
  await bob.load(sessionId);
  const hidden = { ...approval, audience: { role: 'operator' }, visibility: 'audience' };
  const ending = owner.prompt(sessionId, askFor({ ...hidden, escalate: [{ afterMs: 300, audience: {} }] }));
  const atOwner = await owner.question(0);
  expect(bob.questions).toEqual([]);
  (await bob.question(0)).answer(choose('once'));
  expect(await ending).toBe('end_turn');
  expect(atOwner.signal.aborted).toBe(true);
});

test('[ACP3, SEC9] the socket ends with its token', async () => {
  const { id, token: own } = await addToken(server, { role: 'responder' });
  const editor = await AcpClient.open(server, { token: own });
  await server.store.tokens.remove(id);
  await editor.closed;
});

test('[ACP3] what is not a request of the protocol gets the code that says so, and the connection lives', async () => {
  const socket = await openRaw();
  const refusals: [string | object, number][] = [
    ['{"jsonrpc":', -32_700],
    ['[]', -32_600],
    ['"hello"', -32_600],
    [`${'['.repeat(50)}${']'.repeat(50)}`, -32_600],
    [{ jsonrpc: '2.0', id: {}, method: 'initialize' }, -32_600],
    [{ jsonrpc: '2.0', id: 1 }, -32_600],
  ];
  for (const [message, code] of refusals) {
    socket.send(message);
    expect(await socket.next()).toMatchObject({ error: { code } });
  }
  const early = await socket.call(2, 'session/new', { cwd: '/', mcpServers: [] });
  expect(early).toMatchObject({ error: { code: -32_600, message: 'Send "initialize" first.' } });
  expect(await socket.call(3, 'initialize', { protocolVersion: 'one' })).toMatchObject({ error: { code: -32_602 } });
  expect(await socket.call(4, 'initialize', { protocolVersion: 7 })).toMatchObject({
    result: { protocolVersion: 1, agentInfo: { name: 'parley' }, agentCapabilities: { loadSession: true } },
  });
  expect(await socket.call('4', 'initialize', { protocolVersion: 1 })).toMatchObject({ error: { code: -32_600 } });
  expect(await socket.call(5, 'terminal/create')).toMatchObject({ error: { code: -32_601 } });
  expect(await socket.call(6, 'session/new', { cwd: 'here', mcpServers: [] })).toMatchObject({
    error: { code: -32_602 },
  });
  const named = { cwd: '/', mcpServers: [{ name: 'files', command: 'x', args: [], env: [] }] };
  const { result } = await socket.call(7, 'session/new', named);
  const { sessionId } = result as { sessionId: string };
  expect(result).toMatchObject({ _meta: { parley: { ignoredMcpServers: ['files'] } } });
  for (const block of [
    { type: 'image', data: '', mimeType: 'image/png' },
    { type: 'film' },
    { type: 'text', text: ' ' },
  ])
    expect(await socket.call(8, 'session/prompt', { sessionId, prompt: [block] })).toMatchObject({
      error: { code: -32_602 },
    });
  expect(await socket.call(9, 'session/list')).toMatchObject({ result: {} });
});

test('[ACP3, SEC6] a message above the limit ends its connection alone', async () => {
  const [socket, other] = [await openRaw(), await openRaw()];
  await Promise.all([socket, other].map((each) => each.call(0, 'initialize', { protocolVersion: 1 })));
  socket.send({ jsonrpc: '2.0', id: 1, method: 'session/list', params: { cursor: 'x'.repeat(300_000) } });
  expect(await socket.closed).toBe(1009);
  expect(await other.call(1, 'session/list')).toMatchObject({ result: {} });
});

test('[ACP3] a second answer to a request does not count, and neither does one to none', async () => {
  const socket = await openRaw();
  await socket.call(0, 'initialize', { protocolVersion: 1 });
  const { result } = await socket.call(1, 'session/new', { cwd: '/', mcpServers: [] });
  const { sessionId } = result as { sessionId: string };
  const tab = await joinAsOwner(sessionId);
  const ending = socket.call(2, 'session/prompt', {
    sessionId,
    prompt: [{ type: 'text', text: askFor(approval, approval) }],
  });
  const [first, second] = [await nextQuestion(socket), await nextQuestion(socket)];
  const answer = (id: unknown, optionId: string) => socket.send({ jsonrpc: '2.0', id, result: choose(optionId) });
  answer(first.id, 'deny');
  answer(first.id, 'once');
  answer(999, 'once');
  await tab.event('interaction_response');
  answer(second.id, 'deny');
  expect(await ending).toMatchObject({ result: { stopReason: 'end_turn' } });
  expect(tab.events('interaction_response').map(({ payload }) => payload.action)).toEqual(['deny', 'deny']);
});

test('[ACP3, SEC6] two hundred questions at once are asked, answered and settled, each once', async () => {
  const editor = await AcpClient.open(server, { token });
  const sessions = [await editor.create(), await editor.create()];
  const many = askFor(...Array.from({ length: 100 }, () => approval));
  const endings = sessions.map((sessionId) => editor.prompt(sessionId, many));
  await editor.question(199);
  for (const question of editor.questions) question.answer(choose('once'));
  expect(await Promise.all(endings)).toEqual(['end_turn', 'end_turn']);
  expect(editor.questions).toHaveLength(200);
  const text = editor.text('agent_message_chunk');
  expect(text.match(/"action":"approve"/g)).toHaveLength(200);
});

function nextQuestion(socket: RawSocket) {
  return socket.next(({ method }) => method === 'session/request_permission');
}
