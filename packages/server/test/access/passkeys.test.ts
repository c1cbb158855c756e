import { maxPasskeys, serverChain } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { Authenticator, addPasskey, makePage } from '../support/authenticator.ts';
import { startGuardedServer } from '../support/guarded-server.ts';
import { startLocalServer } from '../support/local-server.ts';

async function open(options: Parameters<typeof startGuardedServer>[0] = {}) {
  const server = await startGuardedServer(options);
  const origin = `http://localhost:${server.local.port}`;
  const { token, id } = await server.makeToken({ role: 'responder', name: 'Ann' });
  return { server, origin, token, id, call: makePage(origin, token), key: new Authenticator(origin) };
}

const errorOf = async (response: Response) => [response.status, (await response.json()).error.code];

test('[SIGN2] a person adds, renames and removes passkeys; from the second on one of them signs', async () => {
  const { server, origin, token, id, call, key } = await open();
  const first = await addPasskey(token, key);
  expect(first.status).toBe(200);
  const { passkey } = await first.json();
  expect(passkey).toMatchObject({ name: 'Key', credentialId: key.id, origin });
  const second = new Authenticator(origin);
  expect(await errorOf(await addPasskey(token, second))).toEqual([403, 'step_up_required']);
  expect((await addPasskey(token, second, key)).status).toBe(200);
  expect((await call(`/api/passkeys/${passkey.id}`, { name: 'Phone' }, 'PATCH')).status).toBe(204);
  const listed = (await (await call('/api/passkeys')).json()).passkeys;
  expect(listed.map(({ name }: { name: string }) => name)).toEqual(['Phone', 'Key']);
  const path = `/api/passkeys/${listed[1].id}`;
  const { ticket, signing, creation } = await (await call('/api/passkeys/options', { remove: listed[1].id })).json();
  expect(creation).toBeUndefined();
  const wrong = { ticket, assertion: new Authenticator(origin).sign(signing.challenge) };
  expect(await errorOf(await call(path, wrong, 'DELETE'))).toEqual([403, 'step_up_required']);
  expect((await call(path, { ticket, assertion: key.sign(signing.challenge) }, 'DELETE')).status).toBe(204);
  const rows = (await server.local.store.audit.read(serverChain)).map(({ text }) => JSON.parse(text));
  expect(rows.filter(({ event }) => event.startsWith('passkey')).map(({ event, person }) => [event, person])).toEqual([
    ...[
      ['passkey_added', id],
      ['passkey_added', id],
    ],
    ['passkey_removed', id],
  ]);
});

test('[SIGN2] a change is completed only by the log-in that began it, for what it was begun for, in five minutes', async () => {
  let now = Date.parse('2026-03-01T12:00:00.000Z');
  const { server, origin, token, call, key } = await open({ now: () => now });
  const other = await server.makeToken({ role: 'responder', name: 'Bob' });
  const { ticket, creation } = await (await call('/api/passkeys/options', {})).json();
  const body = { ticket, name: 'Key', registration: key.register(creation.challenge) };
  expect(await errorOf(await makePage(origin, other.token)('/api/passkeys', body))).toEqual([400, 'invalid']);
  const replaced = { ...body, registration: key.register('AAAA') };
  expect(await errorOf(await call('/api/passkeys', replaced))).toEqual([400, 'invalid']);
  now += 5 * 60_000;
  expect(await errorOf(await call('/api/passkeys', body))).toEqual([400, 'invalid']);
  now -= 1;
  const added = await call('/api/passkeys', body);
  expect(added.status).toBe(200);
  const removal = await (await call('/api/passkeys/options', { remove: (await added.json()).passkey.id })).json();
  const another = { ...body, ticket: removal.ticket, assertion: key.sign(removal.signing.challenge) };
  expect(await errorOf(await call('/api/passkeys', another))).toEqual([400, 'invalid']);
  const twin = await addPasskey(other.token, key);
  expect(await errorOf(twin)).toEqual([400, 'invalid']); // the credential has its passkey
  expect((await addPasskey(token, new Authenticator(origin), key)).status).toBe(200);
});

test('[SIGN2, SEC9] a log-in that has not shown its token lately changes no passkeys', async () => {
  let now = Date.parse('2026-03-01T12:00:00.000Z');
  const { server, origin, token } = await open({ now: () => now, durations: { freshLoginMs: 60_000 } });
  const login = await fetch(`${server.origin}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  const cookie = String(login.headers.get('set-cookie')).split(';')[0] ?? '';
  const post = (path: string, body: object) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { cookie, origin, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const begun = await (await post('/api/passkeys/options', {})).json();
  now += 60_001;
  expect(await errorOf(await post('/api/passkeys/options', {}))).toEqual([403, 'login_again']);
  const registration = new Authenticator(origin).register(begun.creation.challenge);
  const late = await post('/api/passkeys', { ticket: begun.ticket, name: 'Key', registration });
  expect(await errorOf(late)).toEqual([403, 'login_again']);
  expect(await server.local.store.passkeys.list()).toEqual([]);
});

test('[SIGN2] nobody makes a passkey, or signs, for a change that will be refused', async () => {
  const { origin, token, call, key } = await open();
  const begin = (body: object) => call('/api/passkeys/options', body);
  expect(await errorOf(await begin({ remove: 'nothing' }))).toEqual([404, 'not_found']);
  await addPasskey(token, key);
  expect(await errorOf(await begin({ remove: 'nothing' }))).toEqual([404, 'not_found']);
  const early = await (await begin({})).json();
  for (let count = 1; count < maxPasskeys; count += 1)
    expect((await addPasskey(token, new Authenticator(origin), key)).status).toBe(200);
  const full = { code: 'invalid', message: expect.stringContaining(`${maxPasskeys} passkeys already`) };
  expect((await (await begin({})).json()).error).toEqual(full);
  const [{ id }] = (await (await call('/api/passkeys')).json()).passkeys;
  expect((await begin({ remove: id })).status).toBe(200);
  const registration = new Authenticator(origin).register(early.creation.challenge);
  const assertion = key.sign(early.signing.challenge);
  const late = await call('/api/passkeys', { ticket: early.ticket, name: 'Key', registration, assertion });
  expect((await late.json()).error).toEqual(full);
});

test('[SIGN2] passkeys are only for people who can answer, on a page with a host name', async () => {
  const { server, origin, token, call } = await open();
  for (const role of ['viewer', 'asker'] as const) {
    const { token: weak } = await server.makeToken({ role });
    const tried = await makePage(origin, weak)('/api/passkeys/options', {});
    expect(await errorOf(tried)).toEqual([403, 'forbidden']);
  }
  const byAddress = await makePage(server.origin, token)('/api/passkeys/options', {});
  expect((await byAddress.json()).error).toMatchObject({
    code: 'invalid',
    message: expect.stringContaining('host name'),
  });
  const noPage = await fetch(`${origin}/api/passkeys/options`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect((await noPage.json()).error.message).toContain('browser');
  expect(await errorOf(await call('/api/passkeys/p', { name: ' ' }, 'PATCH'))).toEqual([400, 'bad_frame']);
  expect(await errorOf(await call('/api/passkeys/p', { name: 'x'.repeat(101) }, 'PATCH'))).toEqual([400, 'bad_frame']);
  expect(await errorOf(await call('/api/passkeys/p', { name: 'x' }, 'PATCH'))).toEqual([404, 'not_found']);
});

test('[SIGN2] whoever has passkeys for another address only is told where to change them', async () => {
  const other = 'https://parley.example';
  const { origin, token, key, server } = await open({ allowedOrigins: [other] });
  expect((await addPasskey(token, key)).status).toBe(200);
  const tried = await fetch(`${server.origin}/api/passkeys/options`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, origin: other, 'content-type': 'application/json' },
    body: '{}',
  });
  expect((await tried.json()).error).toMatchObject({
    code: 'step_up_required',
    message: expect.stringContaining(origin),
  });
});

test('[SIGN2] on a server that admits everybody nobody has passkeys', async () => {
  const server = await startLocalServer();
  const origin = `http://localhost:${server.port}`;
  const response = await fetch(`${origin}/api/passkeys/options`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(await errorOf(response)).toEqual([404, 'not_found']);
});
