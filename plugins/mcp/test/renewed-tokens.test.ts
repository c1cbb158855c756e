import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SignIn } from '../src/sign-in/sign-in.ts';
import { Vault } from '../src/sign-in/vault.ts';

const url = 'https://mcp.example/mcp';
const redirectUrl = 'http://127.0.0.1:1/return';
const refused = () => new Response(null, { status: 401, headers: { 'www-authenticate': 'Bearer' } });

/** An MCP server and its authorisation server, as `fetch` meets them. `onToken` answers a request for tokens in their place. */
class World {
  onToken: (form: URLSearchParams) => Promise<object | undefined> = async () => undefined;
  registration: object | string | undefined;
  readonly vault = new Vault(join(mkdtempSync(join(tmpdir(), 'parley-test-')), 'it.json'));
  readonly signIn = new SignIn({
    url,
    settings: {},
    vault: this.vault,
    fetch: (input, init) => this.#answer(input, init),
  });
  #count = 0;

  async #answer(input: string | URL, { body }: RequestInit = {}): Promise<Response> {
    const { origin, pathname } = new URL(input);
    if (pathname.includes('oauth-protected-resource'))
      return Response.json({ resource: url, authorization_servers: ['https://as.example'] });
    if (pathname.includes('well-known'))
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        registration_endpoint: `${origin}/register`,
        response_types_supported: ['code'],
        code_challenge_methods_supported: ['S256'],
      });
    this.#count += 1;
    if (pathname === '/register')
      return this.registration === undefined
        ? Response.json({ ...JSON.parse(String(body)), client_id: `client${this.#count}` }, { status: 201 })
        : new Response(String(this.registration), { status: 400 });
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

test('[AGT4] a renewal that ends after somebody signed in anew leaves what they brought', async () => {
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

test('[AGT4] a code that is none takes nothing from tokens that are good', async () => {
  const world = new World();
  await world.signInWith('a');
  world.onToken = async (form) => (form.get('code') === 'bad' ? { error: 'invalid_grant' } : undefined);
  await expect(world.signInWith('b', 'bad')).rejects.toThrow();
  await world.renew();
  expect((await world.vault.read()).tokens?.refresh_token).toMatch(/^rt/);
});

test('[AGT4, SEC6] of what an authorisation server says, a line is told', async () => {
  const world = new World();
  world.registration = `<html>${'words and\nwords '.repeat(50_000)}`;
  const said = await world.signIn.begin({ redirectUrl, state: 'a' }).catch(({ message }: Error) => message);
  expect(said).toMatch(/^[^\n]{1,302}$/);
});
