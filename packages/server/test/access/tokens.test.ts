import { expect, test } from 'vitest';
import { useGuardedServer } from '../support/guarded-server.ts';
import type { Tab } from '../support/tab.ts';

/** Offset of the machine's clock, in ms. */
let offset = 0;
const server = useGuardedServer({ now: () => Date.now() + offset });

const hour = 3_600_000;

async function logIn(token: string): Promise<string> {
  const response = await fetch(`${server.origin}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: server.origin },
    body: JSON.stringify({ token }),
  });
  return (response.headers.get('set-cookie') ?? '').split(';')[0] as string;
}

/** Returns what a connection with these credentials gets: its role, or the close code. */
async function greet(headers: Record<string, string>, hello: object = {}): Promise<string | number> {
  const tab = await server.local.open({ hello: null, headers });
  tab.send({ type: 'hello', protocol: 1, ...hello });
  const first = await tab.until(({ type }) => type === 'welcome' || type === 'error');
  return first.type === 'welcome' ? first.principal.role : tab.closed();
}

const byCookie = (Cookie: string) => greet({ Cookie, Origin: server.origin });

test("[SEC4] on every transport the role is the token's, whatever else the client claims", async () => {
  const { token } = await server.makeToken({ role: 'responder' });
  const claims = { role: 'operator', principal: { id: 'owner', role: 'operator' }, sessions: [] };
  expect(await greet({}, { ...claims, token })).toBe('responder');
  expect(await greet({ Authorization: `Bearer ${token}` }, claims)).toBe('responder');
  expect(await byCookie(await logIn(token))).toBe('responder');
  expect(await greet({}, { token: server.token })).toBe('operator');
  expect(await greet({}, { ...claims, token: `${token}x` })).toBe(4401);
});

test('[SEC2, SEC4] a cookie ends with the token it was made with, and with no other', async () => {
  const [kept, revoked] = [await server.makeToken({ role: 'viewer' }), await server.makeToken({ role: 'viewer' })];
  const cookies = [await logIn(kept.token), await logIn(revoked.token), await logIn(server.token)];
  await server.local.store.tokens.remove(revoked.id);
  expect(await Promise.all(cookies.map(byCookie))).toEqual(['viewer', 4401, 'operator']);
});

test('[SEC4, FRM3] connections of a revoked token are closed with 4401 and sent nothing more; others stay open', async () => {
  const { id, token } = await server.makeToken({ role: 'operator' });
  const Cookie = await logIn(token);
  const [owner, other] = [await server.enter(), await server.enter({ role: 'viewer' })];
  const doors = await Promise.all([
    server.local.open({ hello: { token } }),
    server.local.open({ headers: { Authorization: `Bearer ${token}` } }),
    server.local.open({ headers: { Cookie, Origin: server.origin } }),
  ]);
  await server.local.store.tokens.remove(id);
  expect(await Promise.all(doors.map((tab) => tab.closed()))).toEqual([4401, 4401, 4401]);
  const session = await owner.createSession();
  await other.until((frame) => frame.type === 'session_created' && frame.session.id === session);
  for (const tab of doors) expect(JSON.stringify(tab.frames)).not.toContain(session);
});

test('[SEC4] a token that is revoked between the upgrade and the hello does not open a connection', async () => {
  const { id, token } = await server.makeToken({ role: 'operator' });
  const tab = await server.local.open({ hello: null, headers: { Authorization: `Bearer ${token}` } });
  await server.local.store.tokens.remove(id);
  tab.send({ type: 'hello', protocol: 1 });
  expect(await tab.closed()).toBe(4401);
  expect(tab.frames.map(({ type }) => type)).toEqual(['error']);
});

test('[SEC4] an expired token ends like a revoked one', async () => {
  const expiresAt = new Date(Date.now() + hour).toISOString();
  const { token } = await server.makeToken({ role: 'viewer', expiresAt });
  const Cookie = await logIn(token);
  const tab: Tab = await server.local.open({ hello: { token } });
  const owner = await server.enter();
  offset = hour;
  expect(await tab.closed()).toBe(4401);
  expect(await greet({}, { token })).toBe(4401);
  expect(await byCookie(Cookie)).toBe(4401);
  await owner.createSession();
  offset = 0;
});
