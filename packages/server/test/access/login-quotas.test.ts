import { quotas } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';

const logIn = (server: GuardedServer, token: string) =>
  fetch(`${server.origin}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: server.origin },
    body: JSON.stringify({ token }),
  });

const cookieOf = (response: Response) => (response.headers.get('set-cookie') ?? '').split(';')[0] as string;

const statusOf = async (server: GuardedServer, Cookie: string) =>
  (await fetch(`${server.origin}/api/logins`, { headers: { Cookie, Origin: server.origin } })).status;

test('[SEC11] the number of logins an hour is limited per person, over all of their tokens; a refused one leaves no login and no row', async () => {
  const server = await startGuardedServer({ quotas: { loginsPerHour: 3 } });
  const make = (owner: string) => server.makeToken({ role: 'viewer', owner });
  const [{ token: laptop }, { token: phone }, { token: bobs }] = [
    await make('ann'),
    await make('ann'),
    await make('bob'),
  ];
  for (const token of [laptop, phone, laptop]) expect((await logIn(server, token)).status).toBe(204);
  const rows = async () => (await server.local.store.audit.read('')).length;
  const before = await rows();
  for (const token of [laptop, phone]) {
    const refused = await logIn(server, token);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(refused.headers.get('set-cookie')).toBeNull();
    expect(await refused.json()).toMatchObject({
      error: { code: 'rate_limited', message: expect.stringMatching(/^You may log in 3 times an hour\. Try again in/) },
    });
  }
  expect(await rows()).toBe(before);
  expect((await logIn(server, bobs)).status).toBe(204);
  for (let n = 0; n < 5; n += 1) expect((await logIn(server, server.token)).status).toBe(204);
  const metrics = await server.local.server.metrics.registry.metrics();
  expect(metrics).toMatch(/^parley_limits_reached_total\{limit="loginsPerHour"\} 2$/m);
});

test('[SEC11] a login beyond the maximum of a token ends the oldest of that token', async () => {
  let now = Date.now();
  const tick = () => ++now; // no two logins have the same time
  const server = await startGuardedServer({ quotas: { logins: 2 }, now: tick });
  const { token: laptop } = await server.makeToken({ role: 'responder', owner: 'ann' });
  const { token: display } = await server.makeToken({ role: 'viewer', owner: 'ann' });
  const cookies: string[] = [];
  for (const token of [display, laptop, laptop]) cookies.push(cookieOf(await logIn(server, token)));
  for (let n = 0; n < 3; n += 1) await logIn(server, display);
  expect(await Promise.all(cookies.map((cookie) => statusOf(server, cookie)))).toEqual([401, 200, 200]);
  const onLaptop = await server.local.open({ headers: { Cookie: cookies[1] as string, Origin: server.origin } });
  const { limits } = await onLaptop.waitFor('welcome');
  expect(limits).toMatchObject({ logins: 2, loginsPerHour: quotas.loginsPerHour });
  cookies.push(cookieOf(await logIn(server, laptop)));
  expect(await onLaptop.closed()).toBe(4401);
  expect(await Promise.all(cookies.map((cookie) => statusOf(server, cookie)))).toEqual([401, 401, 200, 200]);
  const rows = (await server.local.store.audit.read('')).map(({ text }) => JSON.parse(text));
  expect(rows.filter(({ event }) => event === 'logged_out')).toHaveLength(3);
});
