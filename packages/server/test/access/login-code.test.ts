import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServerProcess } from '../support/server-process.ts';
import { Tab } from '../support/tab.ts';

let server: ServerProcess;
beforeAll(async () => {
  server = await ServerProcess.start({ args: [] });
});
afterAll(() => server.remove());

const codeOf = ({ ready: { url } }: ServerProcess) => new URL(url).hash.slice('#code='.length);

const logIn = (body: object, at = server, more: Record<string, string> = {}) =>
  fetch(`${at.httpUrl}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: at.httpUrl, ...more },
    body: JSON.stringify(body),
  });

test('[SEC2] the code of the printed URL gets one cookie, once, however many try it at the same moment', async () => {
  const code = codeOf(server);
  const tries = await Promise.all(Array.from({ length: 5 }, () => logIn({ code })));
  expect(tries.map(({ status }) => status).toSorted()).toEqual([204, 401, 401, 401, 401]);
  const cookie = tries.map(({ headers }) => headers.get('set-cookie')).find((each) => each !== null) ?? '';
  expect(cookie).not.toContain(code);
  const headers = { Cookie: cookie.split(';')[0] as string, Origin: server.httpUrl };
  const tab = await Tab.open(server.socketUrl, { headers });
  expect((await tab.waitFor('welcome')).principal).toEqual({ id: 'owner', role: 'operator' });
  expect((await logIn({ code })).status).toBe(401);
  const again = await logIn({ code }, server, headers); // the address is opened in a second tab
  expect([again.status, again.headers.get('set-cookie')]).toEqual([204, null]);
  await expect.poll(() => server.stderr.join('').match(/a wrong token/g)?.length).toBe(5);
});

test('[SEC2] a code is accepted only for logging in, and an empty code is refused', async () => {
  const own = await ServerProcess.start({ args: [] });
  const code = codeOf(own);
  const bearer = { headers: { Authorization: `Bearer ${code}` } };
  expect((await fetch(`${own.httpUrl}/metrics`, bearer)).status).toBe(401);
  const tab = await Tab.open(own.socketUrl, { hello: null });
  tab.send({ type: 'hello', protocol: 1, token: code });
  expect(await tab.closed()).toBe(4401);
  expect((await logIn({ token: code }, own)).status).toBe(401);
  for (const wrong of ['', `${code}x`, own.ready.token]) expect((await logIn({ code: wrong }, own)).status).toBe(401);
  for (const odd of [{ toString: 1 }, 1, [code]]) expect((await logIn({ code: odd }, own)).status).toBe(400);
  expect((await logIn({ code }, own)).status).toBe(204);
  expect((await logIn({ token: own.ready.token }, own)).status).toBe(204);
  await own.remove();
});

test('[SEC2] wrong codes are limited like wrong tokens', async () => {
  const own = await ServerProcess.start({ args: [] });
  const statuses: number[] = [];
  for (let n = 0; n < 11; n += 1) statuses.push((await logIn({ code: `wrong ${n}` }, own)).status);
  expect(statuses).toEqual([...Array(10).fill(401), 429]);
  await own.remove();
});
