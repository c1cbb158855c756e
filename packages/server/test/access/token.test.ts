import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createToken } from '../support/command.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { startServer, useServer } from '../support/use-server.ts';

const server = useServer({ args: [] });

const login = (at: ServerProcess, token: unknown, headers: Record<string, string> = {}) =>
  fetch(`${at.httpUrl}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: at.httpUrl, ...headers },
    body: JSON.stringify({ token }),
  });

const cookieOf = (response: Response) => (response.headers.get('set-cookie') ?? '').split(';')[0] as string;

/** Whether a connection with these headers is welcomed without a token in its hello. */
async function isWelcome(at: ServerProcess, headers: Record<string, string>): Promise<boolean> {
  const tab = await at.open({ hello: null, headers });
  tab.send({ type: 'hello', protocol: 1 });
  const first = await tab.until(() => true);
  await tab.close();
  return first.type === 'welcome';
}

test('[SEC2] the token has a prefix and 256 random bits; the URL has a code in its fragment, and no token', async () => {
  const { url, token } = server.ready;
  expect(token).toMatch(/^parley_[\w-]{43}$/);
  expect(new URL(url).hash).toMatch(/^#code=[\w-]{43}$/);
  expect(url).not.toContain((token ?? '').slice('parley_'.length));
  expect(new URL(url).search).toBe('');
});

test('[SEC2] a token is exchanged for an HttpOnly, SameSite=Strict cookie whose name carries the port', async () => {
  const response = await login(server, server.ready.token);
  expect(response.ok).toBe(true);
  const attributes = (response.headers.get('set-cookie') ?? '').split('; ');
  expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Strict', 'Path=/']));
  expect(attributes[0]).toContain(String(server.ready.port));
  expect(attributes).not.toContain('Secure');
  expect(attributes.join()).toMatch(/Expires=/);
  expect(attributes.join()).not.toContain(server.ready.token);
});

test('[SEC2, SEC3] the cookie opens the socket for our own page; without an Origin or a cookie it stays closed', async () => {
  const Cookie = cookieOf(await login(server, server.ready.token));
  const Origin = server.httpUrl;
  expect(await isWelcome(server, { Cookie, Origin })).toBe(true);
  expect(await isWelcome(server, { Cookie: `other=1; ${Cookie}; more=2`, Origin })).toBe(true);
  expect(await isWelcome(server, { Cookie })).toBe(false);
  expect(await isWelcome(server, { Origin })).toBe(false);
  expect(await isWelcome(server, { Cookie: `${Cookie}x`, Origin })).toBe(false);
});

test('[TRN3, FRM2] a token in hello takes precedence over the login whose cookie the browser sends along', async () => {
  const Cookie = cookieOf(await login(server, server.ready.token));
  const headers = { Cookie, Origin: server.httpUrl };
  const { token } = await createToken(server.dataDir, '--role', 'viewer');
  const greet = async (given: string) => {
    const tab = await server.open({ hello: null, headers });
    tab.send({ type: 'hello', protocol: 1, token: given });
    const first = await tab.until(() => true);
    await tab.close();
    return first;
  };
  expect(await greet(token)).toMatchObject({ type: 'welcome', principal: { role: 'viewer' } });
  expect(await greet('parley_of-nobody')).toMatchObject({ type: 'error', code: 'unauthorised' });
});

test("[SEC2] logging out closes the cookie's connections", async () => {
  const Cookie = cookieOf(await login(server, server.ready.token));
  const Origin = server.httpUrl;
  expect((await fetch(`${server.httpUrl}/api/logout`, { method: 'POST', headers: { Cookie, Origin } })).ok).toBe(true);
  expect(await isWelcome(server, { Cookie, Origin })).toBe(false);
});

test('[SEC2] /metrics needs the token, /healthz and the page do not', async () => {
  const get = async (path: string, headers = {}) => (await fetch(`${server.httpUrl}${path}`, { headers })).status;
  expect(await get('/metrics')).toBe(401);
  expect(await get('/metrics', { Authorization: 'Bearer wrong' })).toBe(401);
  expect(await get('/metrics', { Authorization: `Bearer ${server.ready.token}` })).toBe(200);
  expect(await get('/healthz')).toBe(200);
});

test('[SEC2] a login that is not JSON, or too large, is refused', async () => {
  const post = async (body: string, type: string) =>
    (await fetch(`${server.httpUrl}/api/login`, { method: 'POST', headers: { 'Content-Type': type }, body })).status;
  expect(await post(`token=${server.ready.token}`, 'application/x-www-form-urlencoded')).toBe(400);
  expect(await post(JSON.stringify({ token: server.ready.token }), 'text/plain')).toBe(400);
  expect(await post(JSON.stringify({ token: 'x'.repeat(100_000) }), 'application/json')).toBe(413);
});

/** Presents a token to this server, and returns the status; 200: admitted. */
const doors: Record<string, (at: ServerProcess, token: string) => Promise<number>> = {
  login: async (at, token) => {
    const { ok, status } = await login(at, token);
    return ok ? 200 : status;
  },
  bearer: async (at, token) => {
    const headers = { Authorization: `Bearer ${token}` };
    return (await fetch(`${at.httpUrl}/metrics`, { headers })).status;
  },
  hello: async (at, token) => {
    const tab = await at.open({ hello: null });
    tab.send({ type: 'hello', protocol: 1, token });
    const first = await tab.until(() => true);
    if (first.type !== 'welcome') return (await tab.closed()) - 4000;
    await tab.close();
    return 200;
  },
};

test.each(Object.entries(doors))(
  '[SEC2] after ten wrong tokens in a minute the next must wait, on loopback too, but not the right one or a cookie: %s',
  async (name, show) => {
    const own = await startServer({ args: [] });
    const Cookie = cookieOf(await login(own, own.ready.token));
    const tries = await Promise.all(Array.from({ length: 10 }, (_, n) => show(own, `wrong ${n}`)));
    expect(tries).toEqual(Array(10).fill(401));
    for (let n = 0; n < 5; n += 1) expect(await show(own, `wrong again ${n}`)).toBe(429);
    expect(await show(own, own.ready.token as string)).toBe(200);
    expect(await isWelcome(own, { Cookie, Origin: own.httpUrl })).toBe(true);
    for (const [other, at] of Object.entries(doors)) expect(await at(own, 'wrong')).toBe(other === name ? 429 : 401);

    const headers = { Authorization: `Bearer ${own.ready.token}` };
    const metrics = await (await fetch(`${own.httpUrl}/metrics`, { headers })).text();
    expect(metrics).toMatch(new RegExp(`^parley_wrong_tokens_total\\{door="${name}"\\} 16$`, 'm'));
  },
);

test('[SEC2, SEC8] a cookie survives a restart, and the token is in no file or log', async () => {
  const token = 'a-canary-token-of-36-characters-long';
  const args = ['--token', token, '--log-level', 'debug', '--behind-proxy'];
  const own = await startServer({ args });
  const { port } = own.ready;
  const origin = `https://127.0.0.1:${port}`;
  const response = await login(own, token, { Origin: origin });
  expect(response.headers.get('set-cookie')).toContain('Secure');
  const Cookie = cookieOf(response);
  await (await own.open({ hello: { token } })).createSession();
  await own.kill('SIGTERM');
  await own.restart({ args: [...args, '--port', String(port)] });
  expect(await isWelcome(own, { Cookie, Origin: origin })).toBe(true);
  await own.kill('SIGTERM');
  const secret = Cookie.split('=')[1] as string;
  const entries = await readdir(own.dataDir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const files = await Promise.all(paths.map((path) => readFile(path, 'latin1')));
  expect(files.length).toBeGreaterThan(0);
  for (const text of [...files, ...own.stderr, ...own.stderr]) {
    expect(text).not.toContain(token);
    expect(text).not.toContain(secret);
  }
});

test('[SEC2] a server without authentication issues no cookies', async () => {
  const open = await startServer();
  const response = await login(open, '');
  expect([response.status, response.headers.get('set-cookie')]).toEqual([204, null]);
});
