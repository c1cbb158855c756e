import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { InteractionRequest } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { makePushKeys } from '../../../packages/server/src/reach/push-keys.ts';
import { GuardedServer } from '../../../packages/server/test/support/guarded-server.ts';
import { Journey } from '../../../packages/server/test/support/journey.ts';
import type { LocalServer } from '../../../packages/server/test/support/local-server.ts';
import { useInTest } from '../../../packages/server/test/support/use-server.ts';
import { makeMcpPlugin } from '../src/index.ts';
import { AuthorisationServer } from './authorisation-server.ts';
import { demandToken, HttpToy } from './http-toy.ts';
import { run, startMcp } from './mcp-stage.ts';

const reach = { keys: makePushKeys() };

async function stage(era: 'legacy' | 'modern' = 'modern', options: object = {}) {
  const authority = await useInTest(new AuthorisationServer());
  const toy = await useInTest(new HttpToy(era, demandToken(authority)));
  const server = await startMcp({ web: { url: toy.url, ...options } }, { reach }); // addresses are good in its next life, too
  return { authority, toy, server };
}

/** What the page does with what a browser brings. */
async function comeBack({ httpUrl }: Pick<LocalServer, 'httpUrl'>, address: URL, headers: object = {}) {
  const response = await fetch(`${httpUrl}/api/return`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: address.search.slice(1) }),
  });
  return response.status;
}

/** Somebody agrees, and signs in. @returns with what their browser came back */
async function signIn(
  server: LocalServer,
  authority: AuthorisationServer,
  journey: Journey,
  prompt: InteractionRequest,
) {
  await journey.answer(prompt, { action: 'approve' });
  const address = await authority.visit(prompt.url ?? '');
  await expect.poll(() => comeBack(server, address)).toBe(200); // what was agreed to may not be stored yet
  return address;
}

test.each(['legacy', 'modern'] as const)(
  '[AGT4] a server of the %s era that wants a token has a tool to sign in, and its own tools once somebody did',
  async (era) => {
    const { authority, toy, server } = await stage(era);
    expect(await run(server, 'web__echo')).toMatchObject({ code: 'unknown_tool' });
    const journey = await Journey.begin(server);
    const prompt = await journey.ask('web__sign_in');
    expect(prompt).toMatchObject({
      interactionType: 'url',
      title: 'The MCP server “web” wants somebody to sign in',
      prompt: expect.stringContaining(`You sign in at ${new URL(authority.url).host}`),
      source: { kind: 'mcp', name: 'web' },
    });
    const address = new URL(prompt.url ?? '');
    expect(address.origin + address.pathname).toBe(`${authority.url}/authorize`);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      code_challenge_method: 'S256',
      resource: toy.url,
      redirect_uri: `${server.httpUrl}/return`,
    });
    await signIn(server, authority, journey, prompt);
    expect((await journey.outcome()).result).toMatch(/^Signed in/);
    expect(await run(server, 'web__echo', { text: 'hello' })).toBe('hello');
    expect(await run(server, 'web__sign_in')).toMatchObject({ code: 'unknown_tool' });
  },
);

/** Signs in for the first time, with a tool that waits for it. */
async function signInOnce(server: LocalServer, authority: AuthorisationServer): Promise<void> {
  const journey = await Journey.begin(server);
  await signIn(server, authority, journey, await journey.ask('web__sign_in'));
  expect((await journey.outcome()).result).toMatch(/^Signed in/);
}

/** All that a folder has in it, as text, with the mode of each file that holds `words`. */
function findHeld(folder: string, words: RegExp): { readonly name: string; readonly mode: number }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !words.test(readFileSync(path, 'latin1'))) return [];
    return [{ name: path.slice(folder.length + 1), mode: statSync(path).mode & 0o777 }];
  });
}

test('[AGT4, SEC8] tokens are renewed unasked, asked for again once nothing renews them, and are in one file that only its user reads', async () => {
  const { authority, server } = await stage();
  await signInOnce(server, authority);
  authority.expire();
  expect(await run(server, 'web__echo', { text: 'renewed' })).toBe('renewed');
  await server.restart();
  expect(await run(server, 'web__echo', { text: 'kept' })).toBe('kept');
  authority.expire({ isForGood: true });
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('web__echo', { text: 'again' });
  expect(prompt).toMatchObject({ interactionType: 'url', url: expect.stringContaining('/authorize?') });
  const { searchParams } = await signIn(server, authority, journey, prompt);
  expect(await journey.outcome()).toEqual({ result: 'again' });
  const held = findHeld(server.dataDir, /[ar]t-[0-9a-f]{8}-/);
  expect(held).toEqual([{ name: expect.stringMatching(/^plugins\/mcp\/sign-ins\//), mode: 0o600 }]);
  expect(JSON.stringify(journey.tab.frames)).not.toContain(searchParams.get('code'));
});

test('[AGT4, DUR2] a restart while somebody is away to sign in loses nothing: whoever comes back goes on', async () => {
  const { authority, server } = await stage();
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('web__sign_in');
  await journey.answer(prompt, { action: 'approve' });
  const address = await authority.visit(prompt.url ?? '');
  await server.restart();
  const after = await journey.join(server);
  await expect.poll(() => comeBack(server, address)).toBe(200);
  expect((await after.outcome()).result).toMatch(/^Signed in/);
  expect(after.events('interaction_request')).toHaveLength(1);
});

test('[AGT4, PLG11] a state that is made up, of another use, or used before ends nothing, and neither does a GET', async () => {
  const { authority, server } = await stage();
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('web__sign_in');
  const early = await authority.visit(prompt.url ?? '');
  expect(await comeBack(server, early)).toBe(503); // nobody has agreed
  await journey.answer(prompt, { action: 'approve' });
  const address = await authority.visit(prompt.url ?? '');
  const forged = new URL(address);
  forged.searchParams.set('state', `${forged.searchParams.get('state')}x`);
  expect(await comeBack(server, forged)).toBe(404);
  expect(await comeBack(server, new URL('http://a/?code=c'))).toBe(404);
  const state = address.searchParams.get('state');
  const posted = await fetch(`${server.httpUrl}/callbacks/${state}`, { method: 'POST' });
  expect(posted.status).toBe(404);
  await fetch(address);
  expect(await comeBack(server, address, { origin: 'https://evil.example' })).toBe(403);
  await expect.poll(() => comeBack(server, address)).toBe(200);
  expect((await journey.outcome()).result).toMatch(/^Signed in/);
  expect(await comeBack(server, address)).toBe(409);
});

test('[AGT4, SEC4] only who agreed comes back: neither another person nor a stranger, and nobody’s try uses it up', async () => {
  const authority = await useInTest(new AuthorisationServer());
  const toy = await useInTest(new HttpToy('modern', demandToken(authority)));
  const plugins = [makeMcpPlugin()];
  const server = await useInTest(
    new GuardedServer({ plugins, pluginConfigs: { mcp: { mcpServers: { web: { url: toy.url } } } } }),
  );
  const [ann, bob] = [await server.makeToken({ role: 'operator' }), await server.makeToken({ role: 'operator' })];
  const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });
  const journey = await Journey.begin(server.local, { hello: { token: ann.token } });
  const prompt = await journey.ask('web__sign_in');
  await journey.answer(prompt, { action: 'approve' });
  const address = await authority.visit(prompt.url ?? '');
  await expect.poll(() => comeBack(server.local, address, bearer(bob))).toBe(403);
  expect(await comeBack(server.local, address)).toBe(401);
  expect(await comeBack(server.local, address, bearer(ann))).toBe(200);
  expect((await journey.outcome()).result).toMatch(/^Signed in/);
});

test('[AGT4] an answer of another authorisation server is none: nothing is redeemed, and people are asked again', async () => {
  const { authority, server } = await stage();
  authority.answersAs = 'https://evil.example';
  const journey = await Journey.begin(server);
  await signIn(server, authority, journey, await journey.ask('web__sign_in'));
  const [, again] = await journey.prompts(2);
  expect(authority.asked).not.toContain('/token');
  authority.answersAs = undefined;
  await signIn(server, authority, journey, again!);
  expect((await journey.outcome()).result).toMatch(/^Signed in/);
});

test.each([
  ['a file', 'file:///etc/passwd'],
  ['a script', 'javascript:alert(1)'],
  ['plain HTTP elsewhere', 'http://login.example/authorize'],
])('[AGT4, SEC6] nobody is sent to %s', async (_, place) => {
  const { authority, server } = await stage();
  authority.authorizeAt = place;
  const journey = await Journey.begin(server);
  expect((await journey.run('web__sign_in')).error).toMatchObject({ code: 'mcp_unauthorised' });
  expect(journey.events('interaction_request')).toEqual([]);
});

test('[AGT4] whoever does not want to sign in says so, and the call ends; an answer that says no is one', async () => {
  const { authority, server } = await stage();
  const journey = await Journey.begin(server);
  await journey.answer(await journey.ask('web__sign_in'), { action: 'deny' });
  expect((await journey.outcome()).error).toMatchObject({ code: 'mcp_unauthorised' });
  const other = await Journey.begin(server);
  const prompt = await other.ask('web__sign_in');
  await other.answer(prompt, { action: 'approve' });
  const address = await authority.visit(prompt.url ?? '');
  address.searchParams.delete('code');
  address.searchParams.set('error', 'access_denied');
  await expect.poll(() => comeBack(server, address)).toBe(200);
  const [, again] = await other.prompts(2);
  await other.answer(again!, { action: 'cancel' });
  expect((await other.outcome()).error).toMatchObject({ code: 'mcp_unauthorised' });
});

test('[AGT4] several sessions wait: one person signs in, the others need not any more', async () => {
  const { authority, server } = await stage();
  const [one, other] = [await Journey.begin(server), await Journey.begin(server)];
  const prompt = await one.ask('web__sign_in');
  const spared = await other.ask('web__sign_in');
  await signIn(server, authority, one, prompt);
  expect((await one.outcome()).result).toMatch(/^Signed in/);
  const { payload } = await other.event('interaction_closed');
  expect(payload).toMatchObject({
    interactionId: spared.interactionId,
    reason: 'withdrawn',
    note: 'Somebody has signed in.',
  });
  expect((await other.outcome()).result).toMatch(/^Signed in/);
});
