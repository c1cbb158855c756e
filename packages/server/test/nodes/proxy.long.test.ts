import { expect, test } from 'vitest';
import type { ServerProcess } from '../support/server-process.ts';
import { Tab } from '../support/tab.ts';
import { startTwo } from './support/start-nodes.ts';
import { TlsProxy } from './support/tls-proxy.ts';

const token = 'parley_the-owner-of-both-nodes';
const patience = { timeout: 30_000 };

/** Starts two nodes behind one name. Each request chooses the node that the proxy uses. */
async function startBehindProxy() {
  const proxy = await TlsProxy.start();
  const { origin, port } = proxy;
  const env = { PARLEY_TOKEN: token, PARLEY_ALLOWED_ORIGINS: origin };
  const { nodes } = await startTwo({ args: ['--behind-proxy'], env });
  const request = (
    node: ServerProcess,
    path: string,
    { cookie = '', ...init }: RequestInit & { cookie?: string } = {},
  ) => {
    proxy.leadTo(node.ready.port);
    const headers = { origin, cookie, 'content-type': 'application/json' };
    return fetch(`http://127.0.0.1:${port}${path}`, { headers, ...init });
  };
  const logIn = async (node: ServerProcess) => {
    const answer = await request(node, '/api/login', { method: 'POST', body: JSON.stringify({ token }) });
    expect(answer.status).toBe(204);
    const [cookie = '', ...attributes] = answer.headers.get('set-cookie')?.split('; ') ?? [];
    expect(attributes).toEqual(expect.arrayContaining(['Secure', 'HttpOnly', 'SameSite=Strict']));
    return cookie;
  };
  /** Opens a tab and says hello. */
  const open = async (node: ServerProcess, cookie: string) => {
    proxy.leadTo(node.ready.port);
    const tab = await Tab.open(`ws://127.0.0.1:${port}/ws`, { headers: { origin, cookie }, hello: null });
    tab.send({ type: 'hello', protocol: 1 });
    return tab;
  };
  return { nodes, request, logIn, open };
}

test('[OPS4, SEC2, SEC9] behind a proxy a login at one node is valid at the other, until it ends at either', {
  timeout: 120_000,
}, async () => {
  const { nodes, request, logIn, open } = await startBehindProxy();
  const [a, b] = nodes;
  const [phone, laptop] = [await logIn(a), await logIn(b)];
  const tabs: Tab[] = [];
  for (const node of nodes) for (const cookie of [phone, laptop]) tabs.push(await open(node, cookie));
  for (const tab of tabs) expect((await tab.waitFor('welcome')).principal.role).toBe('operator');
  const [, laptopAtA, , laptopAtB] = tabs;
  for (const node of nodes) {
    const { logins } = await (await request(node, '/api/logins', { cookie: phone })).json();
    expect(logins).toHaveLength(2);
  }

  const ended = await request(a, '/api/logins/end', { method: 'POST', cookie: phone, body: '{"others":true}' });
  expect(ended.status).toBe(204);
  await expect.poll(() => [laptopAtA, laptopAtB].map((tab) => tab?.closeCode), patience).toEqual([4401, 4401]);
  for (const node of nodes) {
    expect((await request(node, '/api/logins', { cookie: laptop })).status).toBe(401);
    expect(await (await open(node, laptop)).closed()).toBe(4401);
    expect((await request(node, '/api/logins', { cookie: phone })).status).toBe(200);
  }
  expect((await request(b, '/api/logout', { method: 'POST', cookie: phone })).status).toBe(204);
  await expect.poll(() => tabs.map((tab) => tab.closeCode), patience).toEqual(Array(4).fill(4401));
  expect((await request(a, '/api/logins', { cookie: phone })).status).toBe(401);
});
