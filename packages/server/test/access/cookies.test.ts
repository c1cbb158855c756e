import { expect, test } from 'vitest';
import { type GuardedServer, startGuardedServer, useGuardedServer } from '../support/guarded-server.ts';

const server = useGuardedServer();

const logIn = async (token: string, at: GuardedServer = server, origin = at.origin) => {
  const response = await fetch(`${at.origin}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: origin },
    body: JSON.stringify({ token }),
  });
  return response.headers.get('set-cookie')?.split('; ') ?? [];
};

/** Returns the role that a browser with these cookies gets, or the close code. */
async function greet(cookies: readonly string[], at: GuardedServer = server, origin = at.origin) {
  const tab = await at.local.open({ hello: null, headers: { Cookie: cookies.join('; '), Origin: origin } });
  tab.send({ type: 'hello', protocol: 1 });
  const first = await tab.until(({ type }) => type === 'welcome' || type === 'error');
  return first.type === 'welcome' ? first.principal.role : tab.closed();
}

test('[SEC2] a cookie that another port planted for a longer path neither hides the login nor replaces it', async () => {
  const [cookie = ''] = await logIn(server.token);
  const { token } = await server.makeToken({ role: 'viewer' });
  const [foreign = ''] = await logIn(token);
  const [name] = cookie.split('=');
  expect(await greet([`${name}=planted`, cookie])).toBe('operator');
  expect(await greet([cookie, `${name}=planted`])).toBe('operator');
  expect(await greet([foreign, `${name}=`, cookie])).toBe('operator'); // the browser sends the longer path first
  expect(await greet([`${name}=planted`, `x${cookie}`])).toBe(4401);
});

test('[SEC2] a log-out ends every login that the browser sent', async () => {
  const cookies = [(await logIn(server.token))[0] ?? '', (await logIn(server.token))[0] ?? ''];
  const headers = { Origin: server.origin, Cookie: cookies.join('; ') };
  expect((await fetch(`${server.origin}/api/logout`, { method: 'POST', headers })).status).toBe(204);
  for (const cookie of cookies) expect(await greet([cookie])).toBe(4401);
});

test('[SEC2] a login is bound to its port, and under TLS to this very host', async () => {
  const proxied = await startGuardedServer({ isBehindProxy: true });
  const origin = proxied.origin.replace('http:', 'https:');
  const [cookie = '', ...attributes] = await logIn(proxied.token, proxied, origin);
  const { port } = proxied.local;
  expect(cookie).toMatch(new RegExp(`^__Host-parley_${port}=`));
  expect(attributes).toEqual(expect.arrayContaining(['Secure', 'HttpOnly', 'SameSite=Strict', 'Path=/']));
  expect(attributes.join()).not.toContain('Domain');
  expect(await greet([cookie], proxied, origin)).toBe('operator');
  expect(await greet([cookie.replace('__Host-', '')], proxied, origin)).toBe(4401);
  expect(await greet([cookie.replace(String(port), String(port + 1))], proxied, origin)).toBe(4401);
  await proxied.remove();
});

test('[SEC2] a login whose token is not a string is refused, and breaks nothing', async () => {
  for (const token of [{ toString: 1 }, { toString: null }, ['x'], 1, true]) {
    const response = await fetch(`${server.origin}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ token }),
    });
    expect([response.status, (await response.json()).error.code]).toEqual([400, 'bad_frame']);
  }
});

test('[SEC2, OPS4] behind a proxy a log-in is bound to the port of the public origin: the same at every node', async () => {
  for (const [publicOrigin, port] of [
    ['https://parley.example.org', 443],
    ['https://parley.example.org:8443', 8443],
    ['http://127.0.0.1:7420', 7420],
  ] as const) {
    const allowedOrigins = [publicOrigin, 'https://app.example.org:9000'];
    const node = await startGuardedServer({ isBehindProxy: true, allowedOrigins });
    const [cookie = ''] = await logIn(node.token, node, publicOrigin);
    expect(cookie).toMatch(new RegExp(`^__Host-parley_${port}=`));
    expect(await greet([cookie], node, publicOrigin)).toBe('operator');
  }
});
