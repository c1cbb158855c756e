import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { LookUp } from '@parleyhq/core/addresses';
import { expect, test } from 'vitest';
import { guardFetch, makeOutsideFetch, type Trusted } from '../src/sign-in/guarded-fetch.ts';
import { SignIn, type SignInSettings } from '../src/sign-in/sign-in.ts';
import { Vault } from '../src/sign-in/vault.ts';

const url = 'https://mcp.example/mcp';
const redirectUrl = 'http://127.0.0.1:1/return';
const refused = () => new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } });

/** An MCP server and its authorisation server behind a fake `fetch`. `onToken` can replace the response to a token request. */
class World {
  onToken: (form: URLSearchParams) => Promise<object | undefined> = async () => undefined;
  registration: object | string | undefined;
  hasMetadata = true;
  readonly file = join(mkdtempSync(join(tmpdir(), 'parley-test-')), 'it.json');
  readonly vault = new Vault(this.file);
  readonly signIn: SignIn;
  /** The forms of all token requests. */
  readonly tokenRequests: URLSearchParams[] = [];
  #count = 0;

  readonly asked: string[] = [];
  readonly #issuer: string;

  constructor(settings: SignInSettings = {}, address = url, issuer = 'https://as.example') {
    const fetch = (input: string | URL, init?: RequestInit) => this.#answer(input, init);
    this.signIn = new SignIn({ url: address, settings, vault: this.vault, fetch });
    this.#issuer = issuer;
  }

  async #answer(input: string | URL, { body }: RequestInit = {}): Promise<Response> {
    const { href, origin, pathname } = new URL(input);
    this.asked.push(href);
    if (pathname.includes('oauth-protected-resource'))
      return Response.json({ resource: url, authorization_servers: [this.#issuer] });
    if (pathname.includes('well-known') && !this.hasMetadata) return new Response(null, { status: 404 });
    if (pathname.includes('well-known'))
      return Response.json({
        issuer: this.#issuer,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_post', 'none'],
      });
    this.#count += 1;
    if (pathname === '/register')
      return this.registration === undefined
        ? Response.json({ ...JSON.parse(String(body)), client_id: `client${this.#count}` }, { status: 201 })
        : new Response(String(this.registration), { status: 400 });
    this.tokenRequests.push(new URLSearchParams(String(body)));
    const error = await this.onToken(new URLSearchParams(String(body)));
    if (error) return Response.json(error, { status: 400 });
    const tokens = { access_token: `at${this.#count}`, refresh_token: `rt${this.#count}`, token_type: 'Bearer' };
    return Response.json(tokens);
  }

  async signInWith(state: string, code = 'good'): Promise<void> {
    await this.signIn.begin({ redirectUrl, state });
    await this.signIn.finish(state, { code });
  }

  renew(): Promise<void> {
    return Promise.resolve(
      this.signIn.provider.onUnauthorized?.({ response: refused(), serverUrl: new URL(url) } as never),
    );
  }
}

test('[AGT4] a renewal that ends after a new sign-in keeps the tokens of that sign-in', async () => {
  for (const error of [{ error: 'invalid_grant' }, undefined]) {
    const world = new World();
    await world.signInWith('a');
    await world.signIn.begin({ redirectUrl, state: 'b' });
    let answer: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    world.onToken = async (form) => {
      if (form.get('grant_type') !== 'refresh_token') return undefined;
      await held;
      return error;
    };
    const renewed = world.renew();
    await world.signIn.finish('b', { code: 'good' });
    const { tokens } = await world.vault.read();
    answer();
    await renewed;
    expect((await world.vault.read()).tokens).toEqual(tokens);
    expect(tokens?.access_token).toMatch(/^at/);
  }
});

test('[AGT4] an invalid code does not affect valid tokens', async () => {
  const world = new World();
  await world.signInWith('a');
  world.onToken = async (form) => (form.get('code') === 'bad' ? { error: 'invalid_grant' } : undefined);
  await expect(world.signInWith('b', 'bad')).rejects.toThrow();
  await world.renew();
  expect((await world.vault.read()).tokens?.refresh_token).toMatch(/^rt/);
});

test('[AGT4, SEC6] the error text of an authorisation server is shortened to one line', async () => {
  const world = new World();
  world.registration = `<html>${'words and\nwords '.repeat(50_000)}`;
  const said = await world.signIn.begin({ redirectUrl, state: 'a' }).catch(({ message }: Error) => message);
  expect(said).toMatch(/^[^\n]{1,302}$/);
});

const client = { clientId: 'ours', clientSecret: 'hush' };

test('[AGT4, SEC8] a client’s secret goes only to the authorisation server that it is for, and into no file', async () => {
  const led = new World({ ...client, issuer: 'https://ours.example' });
  await expect(led.signInWith('a')).rejects.toThrow('names the authorisation server https://as.example');
  expect(led.tokenRequests).toEqual([]);
  const world = new World({ ...client, issuer: 'https://as.example' });
  await world.signInWith('a');
  await world.renew();
  const [first, second] = world.tokenRequests.map((form) => [form.get('grant_type'), form.get('client_secret')]);
  expect([first, second]).toEqual([
    ['authorization_code', 'hush'],
    ['refresh_token', 'hush'],
  ]);
  expect(readFileSync(world.file, 'utf8')).not.toContain('hush');
});

test('[AGT4] tokens of an authorisation server other than the configured one are not renewed', async () => {
  const before = new World();
  await before.signInWith('a');
  const after = new World({ ...client, issuer: 'https://ours.example' });
  await after.vault.change(() => JSON.parse(readFileSync(before.file, 'utf8')));
  await expect(after.renew()).rejects.toThrow('wants somebody to sign in');
  expect(after.tokenRequests).toEqual([]);
});

test.each([true, false])(
  '[AGT4] a response that names another issuer is rejected, with metadata or without: %s',
  async (hasMetadata) => {
    const world = new World();
    world.hasMetadata = hasMetadata;
    await world.signIn.begin({ redirectUrl, state: 'a' });
    await expect(world.signIn.finish('a', { code: 'good', iss: 'https://evil.example' })).rejects.toThrow();
    expect(world.tokenRequests).toEqual([]);
    await world.signIn.begin({ redirectUrl, state: 'b' });
    await world.signIn.finish('b', { code: 'good', iss: 'https://as.example' });
    expect((await world.vault.read()).tokens?.access_token).toMatch(/^at/);
  },
);

test('[AGT4] an unfinished sign-in keeps the client that renews the tokens', async () => {
  const world = new World();
  await world.signInWith('a');
  await world.signIn.begin({ redirectUrl: 'http://127.0.0.1:2/return', state: 'b' });
  await world.renew();
  const [first, second] = world.tokenRequests.map((form) => form.get('client_id'));
  expect(second).toBe(first);
});

test('[AGT4] a client that is no longer known is registered again', async () => {
  const world = new World();
  await world.signInWith('a');
  world.onToken = async () => ({ error: 'invalid_client' });
  await expect(world.renew()).rejects.toThrow('wants somebody to sign in');
  world.onToken = async () => undefined;
  await world.signInWith('b');
  const [first, , last] = world.tokenRequests.map((form) => form.get('client_id'));
  expect(last).toMatch(/^client/);
  expect(last).not.toBe(first);
});

test.each([
  ['in the clear', 'http://mcp.example/mcp'],
  ['in the clear within a network', 'http://10.0.0.1/mcp'],
])('[AGT4, SEC6] nobody signs in to a server whose tokens would travel %s', async (_, clear) => {
  const world = new World({}, clear);
  await expect(world.signIn.begin({ redirectUrl, state: 'a' })).rejects.toThrow('is not an https address');
});

test.each([
  'https://10.0.0.1',
  'https://[::ffff:10.0.0.1]',
  'https://[64:ff9b::a00:1]',
  'https://localhost.',
  'https://169.254.169.254.',
])('[AGT4, SEC6] an issuer that the server names cannot lead to %s', async (issuer) => {
  const world = new World({}, url, issuer);
  await expect(world.signIn.begin({ redirectUrl, state: 'a' })).rejects.toThrow('is in a network of this computer');
  expect(world.asked.filter((each) => each.startsWith(issuer))).toEqual([]);
  const trusting = new World({ issuer }, url, issuer);
  await trusting.signIn.begin({ redirectUrl, state: 'a' });
});

test('[AGT4, SEC6] a host name that resolves into a private network is rejected, unless the settings name it', async () => {
  const server = new URL('https://mcp.example/mcp');
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await once(listener.listen(0, '127.0.0.1'), 'listening');
  const lookUp: LookUp = (_, __, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]);
  const fetchAs = (trusted: Trusted) => guardFetch(trusted, makeOutsideFetch(trusted, lookUp));
  const inside = `https://inside.example:${(listener.address() as AddressInfo).port}/`;
  await expect(fetchAs({ server })(inside)).rejects.toThrow('inside.example is in a network of this computer');
  expect(connections).toBe(0);
  await expect(fetchAs({ server, issuer: new URL(inside) })(inside)).rejects.toThrow('cannot be reached');
  expect(connections).toBe(1);
  listener.close();
});

test('[AGT4, SEC8] drafts that a kill left behind are removed when the tokens are read', async () => {
  const { file, vault } = new World();
  const [draft, other] = [`${file}.draft`, join(dirname(file), 'other.json')];
  for (const path of [draft, other]) writeFileSync(path, '{}');
  await vault.read();
  expect([draft, other].map((path) => existsSync(path))).toEqual([false, true]);
});
