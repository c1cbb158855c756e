import type { Principal } from '@parleyhq/core';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { principalOf } from '../../src/auth/oidc/oidc-settings.ts';
import { makePushKeys } from '../../src/extensions/notifications/push-keys.ts';
import { Authenticator, addPasskey } from '../support/authenticator.ts';
import { ann, ChatStage } from '../support/chat-stage.ts';
import { EventStream } from '../support/event-stream.ts';
import { startGuardedServer } from '../support/guarded-server.ts';
import type { LocalOptions } from '../support/local-server.ts';
import { openStepUpStage } from '../support/step-up-stage.ts';

type Person = Partial<Principal> & Pick<Principal, 'id'>;

/** Knows people as an embedding application does that lets them choose their own names. */
const authenticate: NonNullable<LocalOptions['authenticate']> = ({ headers }) => {
  const person = headers['x-person'];
  return typeof person === 'string' ? { role: 'responder', ...JSON.parse(person) } : undefined;
};

const headersOf = (person: Person, origin: string) => ({
  ...{ 'x-person': JSON.stringify(person), origin, 'content-type': 'application/json' },
});

/** Requests as a page of the application sends them for a person. */
const pageOf = (origin: string, person: Person) => (path: string, body?: object) =>
  fetch(`${origin}${path}`, {
    headers: headersOf(person, origin),
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });

async function open(options: LocalOptions = {}) {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const server = await startGuardedServer({ authenticate, log, ...options });
  return { server, lines, page: (person: Person) => pageOf(server.origin, person) };
}

test('[SEC9, TRN3a] a person of the embedding application neither sees nor ends the log-ins of the owner', async () => {
  const { server, page } = await open();
  const login = await fetch(`${server.origin}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'The browser of the owner' },
    body: JSON.stringify({ token: server.token }),
  });
  const cookie = String(login.headers.get('set-cookie')).split(';')[0] ?? '';
  const asOwner = () => fetch(`${server.origin}/api/logins`, { headers: { cookie, origin: server.origin } });
  const { logins } = await (await asOwner()).json();
  expect(logins).toMatchObject([{ userAgent: 'The browser of the owner' }]);
  for (const role of ['viewer', 'operator'] as const) {
    const bob = page({ id: 'bob', role });
    expect(await (await bob('/api/logins')).json()).toEqual({ logins: [] });
    expect((await bob('/api/logins/end', { id: logins[0].id })).status).toBe(404);
    expect((await bob('/api/logins/end', { others: true })).status).toBe(204);
  }
  expect((await asOwner()).status).toBe(200);
});

test('[TRN3a, SEC4] nobody of the embedding application is admitted as a principal of Parley’s own', async () => {
  const { server, lines, page } = await open();
  const { id } = await server.makeToken({ role: 'viewer' });
  const expired = await server.makeToken({ role: 'viewer', owner: 'ann', expiresAt: new Date(0).toISOString() });
  const oidc = principalOf({ iss: 'https://login.example.org', sub: '1' });
  for (const taken of ['owner', 'local', oidc, id, 'ann', expired.id]) {
    lines.length = 0;
    expect((await page({ id: taken })('/api/logins')).status, taken).toBe(500);
    expect(lines.join(), taken).toContain(`authenticate: id: \\"${taken}\\" is a principal of Parley`);
    const headers = headersOf({ id: taken }, server.origin);
    await expect(server.local.open({ headers }), taken).rejects.toThrow('503');
  }
  for (const own of ['bob', 'oidc-1', 'owners', '3f9a0c1b2d4e'])
    expect((await page({ id: own })('/api/logins')).status, own).toBe(200);
});

test('[TRN3a, TEAM1] a display name that is the id of a principal of Parley’s own stands for nobody', async () => {
  const { server } = await open();
  const { id } = await server.makeToken({ role: 'responder' });
  const enter = (person: Person) => server.local.open({ headers: headersOf(person, server.origin) });
  for (const name of ['owner', id]) {
    const tab = await enter({ id: 'bob', name });
    expect((await tab.waitFor('welcome')).principal, name).toMatchObject({ name, hasNamesake: true });
  }
  const tab = await enter({ id: 'bob', name: 'Bob' });
  expect((await tab.waitFor('welcome')).principal).not.toHaveProperty('hasNamesake');
});

test('[CHAT2, TRN3a] nobody of the embedding application links a chat account as the owner', async () => {
  const stage = await ChatStage.begin({ authenticate });
  const link = (id: string) => pageOf(stage.server.httpUrl, { id })('/api/links', {});
  expect((await link('bob')).status).toBe(403);
  expect((await link('owner')).status).toBe(500);
  expect(await stage.chat.link(await stage.makeCode(), ann)).toMatchObject({ isDone: true });
});

test('[TRN1, SEC4] over HTTP nobody sends frames through the connection of another, or of the owner', async () => {
  const { server, page } = await open();
  const { origin, token } = server;
  const ofBob = await EventStream.open(`${origin}/api/stream?protocol=1&clientId=b`, headersOf({ id: 'bob' }, origin));
  const bearer = { authorization: `Bearer ${token}` };
  const ofOwner = await EventStream.open(`${origin}/api/stream?protocol=1&clientId=o`, bearer);
  const send = async (id: string, stream: EventStream) =>
    fetch(`${origin}/api/frames`, {
      method: 'POST',
      headers: { ...headersOf({ id }, origin), ...(await stream.connection()) },
      body: JSON.stringify({ type: 'list_sessions', requestId: 'r', limit: 1 }),
    });
  expect((await send('bob', ofBob)).status).toBe(200);
  expect((await send('eve', ofBob)).status).toBe(404);
  expect((await send('eve', ofOwner)).status).toBe(404);
  for (const stream of [ofBob, ofOwner]) stream.close();
  expect((await page({ id: 'bob' })('/api/logins')).status).toBe(200);
});

test('[TRN3a, SEC9] whoever is expelled gets no more notifications', async () => {
  const { server, page } = await open({ reach: { keys: makePushKeys(), allowsPrivate: true } });
  const { publicKey } = makePushKeys();
  const subscription = { endpoint: 'https://127.0.0.1:1/bob', keys: { p256dh: publicKey, auth: 'A'.repeat(22) } };
  const [bob, eve] = [page({ id: 'bob' }), page({ id: 'eve' })];
  expect((await bob('/api/push/subscriptions', { subscription })).status).toBe(200);
  const theirs = { ...subscription, endpoint: 'https://127.0.0.1:1/eve' };
  expect((await eve('/api/push/subscriptions', { subscription: theirs })).status).toBe(200);
  server.local.server.expel('bob');
  const countOf = async (of: typeof bob) => (await (await of('/api/push/subscriptions')).json()).subscriptions.length;
  expect(await countOf(bob)).toBe(0);
  expect(await countOf(eve)).toBe(1);
  await vi.waitFor(async () => expect(await server.local.store.devices.list()).toMatchObject([{ principal: 'eve' }]));
});

test('[TRN3a, SIGN2] a person of the embedding application has passkeys of their own, and answers with them', async () => {
  const stage = await openStepUpStage({ authenticate });
  const { origin, session } = stage;
  const [bob, eve] = [pageOf(origin, { id: 'bob' }), pageOf(origin, { id: 'eve' })];
  const key = new Authenticator(origin);
  const { ticket, creation } = await (await bob('/api/passkeys/options', {})).json();
  const made = { ticket, name: 'Key', registration: key.register(creation.challenge) };
  expect((await eve('/api/passkeys', made)).status).toBe(400); // begun by another, with as little of a credential
  expect((await bob('/api/passkeys', made)).status).toBe(200);
  const prompt = await stage.ask('vault_high');
  const path = `/api/sessions/${session}/interactions/${prompt.interactionId}/response`;
  const yes = { action: 'approve', approvalScope: 'once' } as const;
  expect((await bob(path, { ...yes, digest: prompt.digest })).status).toBe(403);
  expect((await bob(path, stage.sign({ id: 'bob', key }, prompt, yes))).status).toBe(200);
});

test('[TRN3a, SIGN2] a person of the embedding application has no passkeys of the owner of tokens, and adds none', async () => {
  const stage = await openStepUpStage({ authenticate });
  await stage.enter({ role: 'operator', owner: 'ann' });
  const { token } = await stage.server.makeToken({ role: 'responder', owner: 'bea' });
  for (const id of ['ann', 'bea']) {
    expect((await pageOf(stage.origin, { id })('/api/passkeys')).status).toBe(500);
    expect((await pageOf(stage.origin, { id })('/api/passkeys/options', {})).status).toBe(500);
  }
  expect((await addPasskey(token, new Authenticator(stage.origin))).status).toBe(200);
});

test('[TRN3a, SIGN2] an embedding application makes nobody the owner of anything', async () => {
  const stage = await openStepUpStage({ authenticate });
  const forged = pageOf(stage.origin, { id: 'bob', owner: 'owner' });
  expect(await (await forged('/api/passkeys')).json()).toMatchObject({ passkeys: [] });
});
