import { type ChatEvent, emptyHead } from '@parleyhq/core';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ParleyClient } from './parley-client.ts';
import { FakeServer, makeRequest } from './testing/index.ts';
import { connectDirect } from './transports/direct.ts';

let server: FakeServer;
let client: ParleyClient;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse('2026-03-31T12:00:00Z') });
  server = new FakeServer();
  server.addSession('s');
  client = new ParleyClient({ transport: connectDirect(server.openPipe), clientId: 'tab', label: 'Test' });
  client.start();
});

afterEach(() => {
  client.stop();
  vi.useRealTimers();
});

const settle = () => vi.advanceTimersByTimeAsync(0);

/** Starts a call with one open prompt. */
function ask(id: string): void {
  const [toolCallId = ''] = id.split('.');
  const call = { toolCallId, toolName: 'deploy', args: {}, authorised: { by: 'tool' } } as const;
  server.append(
    's',
    { type: 'user_message', payload: { messageId: `m-${id}`, text: 'Go', origin: 'user' }, turnId: 't' },
    { type: 'turn_start', payload: { trigger: 'user', agent: 'fake', owner: 'fake' }, turnId: 't' },
    { type: 'tool_call', payload: call, turnId: 't' },
    { type: 'interaction_request', payload: makeRequest(id), turnId: 't' },
  );
}

test('[INT14] the inbox has prompts of opened and of other sessions', async () => {
  await settle();
  ask('call.1');
  await settle();
  expect(client.state.inbox.map(({ interaction }) => interaction.interactionId)).toEqual(['call.1']);
  const session = client.open('s');
  await settle();
  expect(client.state.inbox).toHaveLength(1);
  ask('call2.1');
  await settle();
  expect(client.state.inbox).toHaveLength(2);
  await Promise.all([session.respond(makeRequest('call2.1'), { action: 'approve' }), settle()]);
  expect(client.state.inbox.map(({ interaction }) => interaction.interactionId)).toEqual(['call.1']);
});

test('[INT14] a prompt keeps its place in the inbox when its session is opened', async () => {
  server.addSession('t');
  await settle();
  ask('call.1');
  const request = makeRequest('late.1');
  server.append('t', { type: 'interaction_request', payload: request });
  await settle();
  const ids = () => client.state.inbox.map(({ interaction }) => interaction.interactionId);
  const before = ids();
  expect(before).toHaveLength(2);
  client.open('s');
  await settle();
  client.open('t');
  await settle();
  expect(ids()).toEqual(before);
});

test('[INT14] an answer that arrives after its session was closed here removes the prompt from the inbox', async () => {
  await settle();
  ask('call.1');
  const session = client.open('s');
  await settle();
  const { interactionId, toolCallId } = makeRequest('call.1');
  const by = { clientId: 'other', connectionId: 'c', principal: 'owner', transport: 'ws' };
  session.close();
  await settle();
  const payload = { toolCallId, interactionId, answerId: 'a', action: 'approve', by } as const;
  const [event] = server.append('s', { type: 'interaction_response', payload });
  server.sendToAll({ type: 'chat_event', sessionId: 's', event: event as ChatEvent });
  await settle();
  expect(client.state.inbox).toEqual([]);
});

test('[INT14, WEB8] a prompt that opens while its session loads stays in the inbox when the session is closed', async () => {
  await settle();
  server.isAnswering = false; // the session goes on loading
  const opened = client.open('s');
  const [session] = client.state.sessions;
  if (!session) throw new Error('not listed');
  const { epoch } = server;
  server.sendToAll({ type: 'snapshot', sessionId: 's', epoch, seq: 0, session, head: emptyHead, streams: [] });
  ask('call.1');
  server.sendToAll({ type: 'chat_events', sessionId: 's', events: server.log('s').slice(0, 1) });
  await settle();
  opened.close();
  expect(client.state.inbox.map(({ interaction }) => interaction.interactionId)).toEqual(['call.1']);
});

test('[WEB8] a late event of a session that was closed and opened again removes no other prompt from the inbox', async () => {
  await settle();
  ask('call.1');
  ask('other.1');
  const first = client.open('s');
  await settle();
  first.close();
  server.isAnswering = false;
  client.open('s');
  const late = server.log('s').at(-1) as ChatEvent; // belongs to the subscription before
  const seen: number[] = [];
  client.subscribe(() => seen.push(client.state.inbox.length));
  server.sendToAll({ type: 'chat_event', sessionId: 's', event: late });
  await settle();
  expect(client.state.inbox).toHaveLength(2);
  expect(seen.filter((count) => count !== 2)).toEqual([]);
});
