import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { createServer as createHttpServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import type { Principal } from '@parleyhq/core';
import { createServer, type EmbeddedServer, makeToken, openSqliteStore } from '@parleyhq/server';
import express from 'express';
import { Hono } from 'hono';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Journey, loadShippedPlugin } from '../support/journey.ts';
import { client, LinkBrowser, TestProvider } from '../support/oidc-provider.ts';
import { Tab, type TabOptions } from '../support/tab.ts';

const people: Record<string, Principal> = {
  ann: { id: 'ann', name: 'Ann', role: 'operator' },
  eve: { id: 'eve', name: 'Eve', role: 'viewer' },
  typo: { id: 'typo', role: 'operater' as never },
};
const newFile = async () => join(await mkdtemp(join(tmpdir(), 'parley-mounted-')), 'parley.db');
const cookieOf = (name: string) => ({ cookie: `app=${name}` });
const forms = await loadShippedPlugin('ask-user');

let parley: EmbeddedServer;
let host: Server;

/** Mounts a server as an existing application with its own login does. */
async function mount(listening: Server, more: object = {}): Promise<string> {
  host = listening;
  parley = createServer({
    store: openSqliteStore(await newFile()),
    plugins: [forms],
    authenticate: ({ headers }) => people[/app=(\w+)/.exec(headers.cookie ?? '')?.[1] ?? String(headers['x-app'])],
    ...more,
  });
  await parley.mount(host);
  return `127.0.0.1:${(host.address() as AddressInfo).port}`;
}

const open =
  (name: string, address: string, origin = `http://${address}`) =>
  (options?: TabOptions) =>
    Tab.open(`ws://${address}/parley/ws`, { headers: { origin, ...cookieOf(name) }, ...options });

afterEach(async () => {
  await parley.close();
  host.closeAllConnections();
  await new Promise((resolve) => host.close(resolve));
});

function plain(): Server {
  return createHttpServer((_, response) => response.end('the application')).listen(0, '127.0.0.1');
}

function ofExpress(): Server {
  const app = express();
  app.get('/{*rest}', (_, response) => void response.send('the application'));
  return app.listen(0, '127.0.0.1');
}

function ofHono(): Server {
  const app = new Hono();
  app.get('*', (context) => context.text('the application'));
  return serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
}

describe.each([
  ['a plain server', plain],
  ['Express', ofExpress],
  ['Hono', ofHono],
])('[TRN3a] mounted on %s', (_, start) => {
  test('asks the application to authenticate, over WebSocket and HTTP, and leaves all other requests to it', async () => {
    const address = await mount(start());
    const ann = await Journey.begin({ open: open('ann', address) });
    const prompt = await ann.ask('ask_user', { question: 'Tea?' });
    const url = `http://${address}/parley/api/sessions/${ann.session}/interactions/${prompt.interactionId}/response`;
    const answer = (name: string) =>
      fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-App': name },
        body: JSON.stringify({ action: 'submit', input: { answer: 'Yes.' } }),
      });
    expect((await answer('nobody')).status).toBe(401);
    expect((await answer('eve')).status).toBe(403);
    expect(await (await answer('ann')).json()).toMatchObject({ ok: true });
    expect(await ann.outcome(prompt)).toEqual({ result: { ok: true, answer: 'Yes.' } });
    const by = { principal: 'ann', name: 'Ann' };
    expect(ann.events('interaction_response')[0]?.payload).toMatchObject({ by });
    for (const path of ['/', '/parleys', '/api/openapi.json'])
      expect(await (await fetch(`http://${address}${path}`)).text()).toBe('the application');
    expect(await (await fetch(`http://${address}/parley/healthz`)).json()).toEqual({ ok: true });
  });
});

test('[TRN3a, SEC3] a page of another origin cannot use the application’s cookie', async () => {
  const address = await mount(plain());
  await expect(open('ann', address, 'http://evil.example')()).rejects.toThrow('403');
  const grants = (headers: Record<string, string>) =>
    fetch(`http://${address}/parley/api/logins`, { headers: { ...cookieOf('ann'), ...headers } });
  expect((await grants({})).status).toBe(401); // nobody knows which page this is from
  expect((await grants({ origin: `http://${address}` })).status).toBe(200);
});

test('[TRN3a] an allowed origin has two effects: its pages connect, and its host counts as the server’s', async () => {
  const address = await mount(plain(), { allowedOrigins: ['https://app.example'] });
  const tab = await open('ann', address, 'https://app.example')();
  expect(tab.frames[0]).toMatchObject({ type: 'welcome' });
});

test('[TRN3a] only users whom the application knows and holders of tokens are admitted', async () => {
  const token = makeToken();
  const address = await mount(plain(), { token });
  const stranger = await open('nobody', address)({ hello: null });
  stranger.send({ type: 'hello', protocol: 1, clientId: 'c' });
  await vi.waitFor(() => expect(stranger.closeCode).toBe(4401));
  const holder = await open('nobody', address)({ hello: { token } });
  expect(holder.frames[0]).toMatchObject({ type: 'welcome' });
});

test('[TRN3a, SEC9] a user who logs out of the application is expelled', async () => {
  const address = await mount(plain());
  const [ann, eve] = [await open('ann', address)(), await open('eve', address)()];
  parley.expel('ann');
  await vi.waitFor(() => expect(ann.closeCode).toBe(4401));
  expect(eve.closeCode).toBeUndefined();
});

test.each(['http', 'https'])(
  '[TRN3a, SIGN1] people log in at a provider below the path, over %s, and come back to the application',
  async (scheme) => {
    const provider = await TestProvider.start();
    onTestFinished(() => provider.stop());
    const server = plain();
    await once(server, 'listening');
    const origin = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}`; // with TLS that of a proxy
    const oidc = { issuer: provider.issuer, ...client, roles: { '*': 'viewer' } };
    await mount(server, { oidc, allowedOrigins: [origin] });
    const mounted = `${origin}/parley`;
    provider.expect(mounted);
    const browser = new LinkBrowser();
    const { url } = await browser.follow(`${mounted}/api/login/oidc`);
    expect(url.href).toBe(`${origin}/`);
    expect((await browser.get(`${mounted}/api/logins`, { headers: { origin } })).status).toBe(200);
  },
);

test('[TRN3a, PLG8] an invalid principal admits nobody', async () => {
  const address = await mount(plain());
  await expect(open('typo', address)()).rejects.toThrow('503');
  const { status } = await fetch(`http://${address}/parley/api/logins`, { headers: { 'X-App': 'typo' } });
  expect(status).toBe(500);
});

test('[TRN3a] after a close the application has its server to itself again', async () => {
  const address = await mount(plain());
  await parley.close();
  expect(await (await fetch(`http://${address}/parley/healthz`)).text()).toBe('the application');
});

test('[TRN3a] two on one server, closed in any order and twice, leave one response to each request', async () => {
  let count = 0;
  const address = await mount(
    createHttpServer((_, response) => {
      count += 1;
      response.end('the application');
    }).listen(0, '127.0.0.1'),
  );
  const other = createServer({ store: openSqliteStore(await newFile()), authenticate: () => undefined });
  await other.mount(host, '/other');
  const get = async (path: string) => (await fetch(`http://${address}${path}`)).text();
  await parley.close();
  expect(await get('/parley/healthz')).toBe('the application');
  expect(count).toBe(1);
  expect(JSON.parse(await get('/other/healthz'))).toEqual({ ok: true });
  await other.close();
  await other.close();
  expect(await get('/other/healthz')).toBe('the application');
  expect(count).toBe(2);
  await expect(open('ann', address)()).rejects.toThrow('404');
});

test('[TRN3a, PLG8] an invalid mount is refused with an explanation', async () => {
  await mount(plain());
  await expect(parley.mount(host, 'parley')).rejects.toThrow('"parley" is not a path to mount at');
  const store = openSqliteStore(await newFile());
  expect(() => createServer({ store } as never)).toThrow('authenticate: must be a function');
  await store.close();
});
