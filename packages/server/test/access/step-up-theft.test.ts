import { definePlugin } from '@parleyhq/core';
import { useInTest } from '@parleyhq/server/testing';
import { beforeEach, expect, test, vi } from 'vitest';
import { Tickets } from '../../src/auth/ticket.ts';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { makeAskTool } from '../support/ask-tool.ts';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';
import { Journey } from '../support/journey.ts';
import { PushService } from '../support/push-service.ts';

/** The one-time links that were mailed. */
const mailed: string[] = [];

const mail = definePlugin({
  name: 'mail',
  tools: [
    makeAskTool({ timeoutMs: null }),
    { ...makeAskTool({ timeoutMs: null }), name: 'ask_lightly', description: 'Asks without a passkey.' },
  ],
  notifiers: [{ name: 'mail', notify: (_, { oneTimeUrl }) => void (oneTimeUrl && mailed.push(oneTimeUrl)) }],
});

const keys = makePushKeys();
let server: GuardedServer;

beforeEach(async () => {
  mailed.length = 0;
  const notifiers = [{ notifier: 'mail', oneTimeLinks: true, people: { owner: {} } }];
  server = await startGuardedServer({
    plugins: [mail],
    stepUp: { tools: ['ask'] },
    durations: { notifyAfterMs: 20 },
    reach: { keys, notifiers, allowsPrivate: true },
  });
});

const origin = () => `http://localhost:${server.local.port}`;

/** Posts as a page of the server does. Returns the status, and the code of the error or nothing. */
async function post(path: string, body: object, headers: Record<string, string> = {}) {
  const sent = { 'content-type': 'application/json', origin: origin(), ...headers };
  const response = await fetch(`${origin()}${path}`, { method: 'POST', headers: sent, body: JSON.stringify(body) });
  const { error } = JSON.parse((await response.text()) || '{}');
  return { status: response.status, code: error?.code as unknown, cookie: response.headers.getSetCookie()[0] };
}

/** Asks what takes a passkey; nobody has the session open then. */
async function ask() {
  const journey = await Journey.begin(server.local, { hello: { token: server.token } });
  const { interactionId, toolCallId, digest } = await journey.ask('ask', { title: 'Deploy?' });
  const subject = { sessionId: journey.session, interactionId, toolCallId, digest: String(digest) };
  return { journey, subject };
}

/** Whether nobody has answered. */
function isOpen({ tab, session }: Journey): boolean {
  return !tab.events(session).some(({ type }) => type === 'interaction_response');
}

test('[SIGN2, SEC9] a stolen cookie approves nothing that takes a passkey, at any door, and brings none of its own', async () => {
  const { journey, subject } = await ask();
  expect((await addPasskey(server.token, new Authenticator(origin()))).status).toBe(200);
  const { cookie = '' } = await post('/api/login', { token: server.token });
  const stolen = { cookie: cookie.replace(/;.*/, '') };
  const { sessionId, interactionId, toolCallId: callId, digest } = subject;
  const path = `/api/sessions/${sessionId}/interactions/${interactionId}/response`;
  expect(await post(path, { action: 'approve', digest }, stolen)).toMatchObject({
    status: 403,
    code: 'step_up_required',
  });
  const thief = await server.local.open({ headers: { ...stolen, origin: origin() } });
  await thief.follow(sessionId);
  const type = 'tool_interaction_response';
  const frame = { type, sessionId, callId, interactionId, action: 'approve', digest } as const;
  expect(await thief.request(frame)).toMatchObject({ ok: false, error: { code: 'step_up_required' } });
  const call = (to: string, body: object) =>
    fetch(`${origin()}${to}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: origin(), ...stolen },
      body: JSON.stringify(body),
    }).then((response) => response.json());
  const { ticket, creation } = await call('/api/passkeys/options', {});
  const registration = new Authenticator(origin()).register(creation.challenge);
  expect((await call('/api/passkeys', { ticket, name: 'Mine', registration })).error.code).toBe('step_up_required');
  expect(isOpen(journey)).toBe(true);
});

test('[SIGN2, NTF2, NTF3] a button or a one-time link that was never sent, signed with the stolen key, approves nothing', async () => {
  const service = await useInTest(new PushService());
  const { subscription } = service.subscribe();
  const wish = { subscription };
  const bearer = { authorization: `Bearer ${server.token}` };
  const response = await fetch(`${origin()}/api/push/subscriptions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...bearer },
    body: JSON.stringify(wish),
  });
  const { id: device } = (await response.json()).subscription;
  const light = await Journey.begin(server.local, { hello: { token: server.token } });
  await light.tab.say(light.session, '/call ask_lightly {"title":"Lunch?"}');
  await light.tab.close();
  const link = await vi.waitFor(() => mailed[0] ?? Promise.reject(new Error('nothing was mailed')), {
    timeout: 30_000,
  });
  const body = String(new URL(link).hash.slice(1).split('.')[0]);
  const { target } = JSON.parse(Buffer.from(body, 'base64url').toString());

  const { journey, subject } = await ask();
  const tickets = new Tickets(keys.sealKey, server.local.server.epoch);
  const key = tickets.sign('card', { ...subject, target, principal: 'owner' });
  const refused = { status: 403, code: 'step_up_required' };
  expect(await post('/api/once/answer', { action: 'approve' }, { 'parley-key': key })).toMatchObject(refused);
  const token = tickets.sign('button', { ...subject, device, action: 'approve' });
  expect(await post('/api/push/answer', { token, action: 'approve' })).toMatchObject(refused);
  expect(isOpen(journey)).toBe(true);
  const no = tickets.sign('button', { ...subject, device, action: 'deny' });
  expect(await post('/api/push/answer', { token: no, action: 'deny' })).toMatchObject({ status: 200 });
});
