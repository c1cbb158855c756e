import { expect, test } from 'vitest';
import { useGuardedServer } from '../support/guarded-server.ts';

const server = useGuardedServer();

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${server.origin}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: server.origin, ...headers },
    body: JSON.stringify(body),
  });

async function logIn(token: string, userAgent: string): Promise<string> {
  const response = await post('/api/login', { token }, { 'User-Agent': userAgent });
  return (response.headers.get('set-cookie') ?? '').split(';')[0] as string;
}

interface Listed {
  readonly id: string;
  readonly userAgent: string;
  readonly isCurrent?: true;
}

const list = async (headers: Record<string, string>): Promise<Listed[]> =>
  (await (await fetch(`${server.origin}/api/logins`, { headers: { Origin: server.origin, ...headers } })).json())
    .logins;

const open = (Cookie: string) => server.local.open({ headers: { Cookie, Origin: server.origin } });
const end = async (Cookie: string, body: unknown) => (await post('/api/logins/end', body, { Cookie })).status;

test('[SEC9] people see their own logins and end one or all others; their sockets end with them', async () => {
  const { token } = await server.makeToken({ role: 'viewer' });
  const cookies = await Promise.all(['Phone', 'Laptop', 'Desk'].map((agent) => logIn(token, agent)));
  const [phone = '', laptop = '', desk = ''] = cookies;
  const [onPhone, onLaptop, onDesk] = await Promise.all([open(phone), open(laptop), open(desk)]);
  const logins = await list({ Cookie: laptop });
  expect(logins.map(({ userAgent }) => userAgent).toSorted()).toEqual(['Desk', 'Laptop', 'Phone']);
  expect(logins.filter(({ isCurrent }) => isCurrent)).toMatchObject([{ userAgent: 'Laptop', address: '127.0.0.1' }]);
  for (const cookie of cookies) expect(JSON.stringify(logins)).not.toContain(cookie.split('=')[1]);

  expect(await end(laptop, { id: logins.find(({ userAgent }) => userAgent === 'Phone')?.id })).toBe(204);
  expect(await onPhone.closed()).toBe(4401);
  expect(await end(laptop, { others: true })).toBe(204);
  expect(await onDesk.closed()).toBe(4401);
  expect((await list({ Cookie: laptop })).map(({ userAgent }) => userAgent)).toEqual(['Laptop']);
  await onLaptop.ask({ type: 'list_sessions' });
});

test('[SEC9] nobody sees or ends the login of another, whatever their role', async () => {
  const [mine, other] = [await server.makeToken({ role: 'operator' }), await server.makeToken({ role: 'viewer' })];
  const [own, theirs, owners] = await Promise.all([
    logIn(mine.token, 'Mine'),
    logIn(other.token, 'Theirs'),
    logIn(server.token, 'Owner'),
  ]);
  const idOf = async (Cookie: string) => (await list({ Cookie }))[0]?.id;
  const ids = await Promise.all([theirs, owners].map(idOf));
  expect((await list({ Cookie: own })).map(({ userAgent }) => userAgent)).toEqual(['Mine']);
  for (const id of ids) expect(await end(own, { id })).toBe(404);
  expect(await end(own, { others: true })).toBe(204);
  expect(await Promise.all([theirs, owners].map(idOf))).toEqual(ids);
});

test('[SEC9, SEC3] the list needs a token, or the cookie on our own page; an invalid request to end logins is refused', async () => {
  const Cookie = await logIn(server.token, 'Owner');
  const status = async (headers: Record<string, string>) =>
    (await fetch(`${server.origin}/api/logins`, { headers })).status;
  expect(await status({})).toBe(401);
  expect(await status({ Cookie })).toBe(401);
  expect(await status({ Authorization: `Bearer ${server.token}` })).toBe(200);
  for (const body of [null, [], {}, { id: 1 }, { others: 'yes' }, { id: 'x', others: true }]) {
    expect(await end(Cookie, body)).toBe(400);
  }
  expect((await post('/api/logins/end', { others: true })).status).toBe(401);
  const form = { 'Content-Type': 'text/plain', Cookie };
  expect((await post('/api/logins/end', { others: true }, form)).status).toBe(400);
});
