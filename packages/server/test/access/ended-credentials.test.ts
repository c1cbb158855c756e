import { expect, test } from 'vitest';
import { useGuardedServer } from '../support/guarded-server.ts';

/** Offset of the machine's clock. */
let offset = 0;
const server = useGuardedServer({ now: () => Date.now() + offset });

const loginMs = 30 * 24 * 3_600_000;

const post = (path: string, headers: Record<string, string>, body?: object) =>
  fetch(`${server.origin}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: server.origin, ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });

async function logIn(token: string): Promise<string> {
  const response = await post('/api/login', {}, { token });
  return (response.headers.get('set-cookie') ?? '').split(';')[0] as string;
}

const openByCookie = (Cookie: string) => server.local.open({ headers: { Cookie, Origin: server.origin } });

test('[SEC9] a log-out ends the sockets of that login within a second, and no others', async () => {
  const [Cookie, other] = [await logIn(server.token), await logIn(server.token)];
  const [first, second, stays] = [await openByCookie(Cookie), await openByCookie(Cookie), await openByCookie(other)];
  const since = performance.now();
  await post('/api/logout', { Cookie });
  expect(await Promise.all([first.closed(), second.closed()])).toEqual([4401, 4401]);
  expect(performance.now() - since).toBeLessThan(1000);
  await stays.createSession();
  await stays.close();
});

test('[SEC9] a socket ends with the expiry of its login', async () => {
  const tab = await openByCookie(await logIn(server.token));
  offset = loginMs;
  expect(await tab.closed()).toBe(4401);
  offset = 0;
});

test('[SEC9] a login that ends between the upgrade and the hello does not open a connection', async () => {
  const Cookie = await logIn(server.token);
  const tab = await server.local.open({ hello: null, headers: { Cookie, Origin: server.origin } });
  await post('/api/logout', { Cookie });
  tab.send({ type: 'hello', protocol: 1 });
  expect(await tab.closed()).toBe(4401);
});
