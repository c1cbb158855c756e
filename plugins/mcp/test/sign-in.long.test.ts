import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PersonTab } from '@parleyhq/client/process';
import type { InteractionRequest } from '@parleyhq/core';
import { makePushKeys, makeToken } from '@parleyhq/server';
import { addToken, TestServer, useInTest } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import { makeMcpPlugin } from '../src/index.ts';
import { AuthorisationServer } from './authorisation-server.ts';
import { demandToken, HttpToy } from './http-toy.ts';
import { begin, run, startMcp } from './mcp-stage.ts';

const reach = { keys: makePushKeys() };

async function stage(era: 'legacy' | 'modern' = 'modern', options: object = {}) {
  const authority = await useInTest(new AuthorisationServer());
  const toy = await useInTest(new HttpToy(era, demandToken(authority)));
  // callback addresses stay valid after a restart
  const server = await startMcp({ web: { url: toy.url, ...options } }, { reach });
  return { authority, toy, server };
}

/** Sends the query of an address to the server, as the page does when a browser returns. */
async function bring({ url }: Pick<TestServer, 'url'>, address: URL, headers: object = {}) {
  const response = await fetch(`${url}/api/return`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: address.search.slice(1) }),
  });
  const { goTo } = (await response.json()) as { goTo?: string };
  return { status: response.status, goTo };
}

async function comeBack(server: Pick<TestServer, 'url'>, address: URL, headers: object = {}): Promise<number> {
  return (await bring(server, address, headers)).status;
}

/** Opens the card's address as the person who agreed. @returns the address to which it sends their browser */
async function setOut(server: TestServer, prompt: InteractionRequest, headers: object = {}): Promise<string> {
  const sent = () => bring(server, new URL(prompt.url ?? ''), headers);
  await expect.poll(async () => (await sent()).status).toBe(200); // the agreement may not be stored yet
  const { goTo } = await sent();
  return goTo ?? '';
}

/** Agrees and signs in. @returns the response to the returning browser */
async function signIn(
  server: TestServer,
  authority: AuthorisationServer,
  journey: PersonTab,
  prompt: InteractionRequest,
) {
  await journey.answer(prompt, { action: 'approve' });
  const address = await authority.visit(await setOut(server, prompt));
  expect(await comeBack(server, address)).toBe(200);
  return address;
}

test.each(['legacy', 'modern'] as const)(
  '[AGT4] a server of the %s era that wants a token has a tool to sign in, and its own tools once somebody did',
  async (era) => {
    const { authority, toy, server } = await stage(era);
    expect(await run(server, 'web__echo')).toMatchObject({ code: 'unknown_tool' });
    const journey = await begin(server);
    const prompt = await journey.ask('web__sign_in');
    expect(prompt).toMatchObject({
      interactionType: 'url',
      title: 'The MCP server “web” wants somebody to sign in',
      prompt: expect.stringContaining(`You sign in at ${new URL(authority.origin).host}`),
      source: { kind: 'mcp', name: 'web' },
    });
    await journey.answer(prompt, { action: 'approve' });
    const address = new URL(await setOut(server, prompt));
    expect(address.origin + address.pathname).toBe(`${authority.origin}/authorize`);
    expect(Object.fromEntries(address.searchParams)).toMatchObject({
      code_challenge_method: 'S256',
      resource: toy.url,
      redirect_uri: `${server.url}/return`,
    });
    expect(await comeBack(server, await authority.visit(address.href))).toBe(200);
    expect((await journey.result()).result).toMatch(/^Signed in/);
    expect(await run(server, 'web__echo', { text: 'hello' })).toBe('hello');
    expect(await run(server, 'web__sign_in')).toMatchObject({ code: 'unknown_tool' });
  },
);

/** Signs in for the first time, with a tool that waits for it. */
async function signInOnce(server: TestServer, authority: AuthorisationServer): Promise<void> {
  const journey = await begin(server);
  await signIn(server, authority, journey, await journey.ask('web__sign_in'));
  expect((await journey.result()).result).toMatch(/^Signed in/);
}

const clientMetadataUrl = 'https://example.com/parley.json';

test.each([
  [true, 'is known by it, and registers nowhere'],
  [false, 'registers where documents are not taken'],
])('[AGT4] a client that has a document (taken: %s) %s', async (isTaken) => {
  const { authority, server } = await stage('modern', { oauth: { clientMetadataUrl } });
  if (isTaken) authority.documentAt = clientMetadataUrl;
  await signInOnce(server, authority);
  expect(authority.asked.includes('/register')).toBe(!isTaken);
  authority.expire();
  await server.restart();
  expect(await run(server, 'web__echo', { text: 'renewed' })).toBe('renewed');
});

/** Finds the files in a folder that contain `words`, with their modes. */
function findHeld(folder: string, words: RegExp): { readonly name: string; readonly mode: number }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || !words.test(readFileSync(path, 'latin1'))) return [];
    return [{ name: path.slice(folder.length + 1), mode: statSync(path).mode & 0o777 }];
  });
}

test('[AGT4, SEC8] tokens are renewed automatically, need a new sign-in if that fails, and are in one file that only its user can read', async () => {
  const { authority, server } = await stage();
  await signInOnce(server, authority);
  authority.expire();
  expect(await run(server, 'web__echo', { text: 'renewed' })).toBe('renewed');
  await server.restart();
  expect(await run(server, 'web__echo', { text: 'kept' })).toBe('kept');
  authority.expire({ isForGood: true });
  const journey = await begin(server);
  const prompt = await journey.ask('web__echo', { text: 'again' });
  expect(prompt).toMatchObject({ interactionType: 'url', url: expect.stringContaining(`${server.url}/return?`) });
  const { searchParams } = await signIn(server, authority, journey, prompt);
  expect(await journey.result()).toEqual({ result: 'again' });
  const held = findHeld(server.dataDir, /[ar]t-[0-9a-f]{8}-/);
  expect(held).toEqual([{ name: expect.stringMatching(/^plugins\/mcp\/sign-ins\//), mode: 0o600 }]);
  expect(JSON.stringify([journey.events(), journey.client.state])).not.toContain(searchParams.get('code'));
});

test('[AGT4, DUR2] a restart while somebody signs in loses nothing: the sign-in continues when they come back', async () => {
  const { authority, server } = await stage();
  const journey = await begin(server);
  const prompt = await journey.ask('web__sign_in');
  await journey.answer(prompt, { action: 'approve' });
  const address = await authority.visit(await setOut(server, prompt));
  await server.restart();
  await expect.poll(() => comeBack(server, address)).toBe(200);
  expect((await journey.result()).result).toMatch(/^Signed in/);
  expect(journey.events('interaction_request')).toHaveLength(1);
});

test('[AGT4, PLG11] an invented, foreign or used state finishes no sign-in, and neither does a GET', async () => {
  const { authority, server } = await stage();
  const journey = await begin(server);
  const prompt = await journey.ask('web__sign_in');
  expect(await comeBack(server, new URL(prompt.url ?? ''))).toBe(503); // nobody has agreed
  await journey.answer(prompt, { action: 'approve' });
  const address = await authority.visit(await setOut(server, prompt));
  const forged = new URL(address);
  forged.searchParams.set('state', `x${forged.searchParams.get('state')}`);
  expect(await comeBack(server, forged)).toBe(404);
  expect(await comeBack(server, new URL('http://a/?code=c'))).toBe(404);
  const state = address.searchParams.get('state');
  const posted = await fetch(`${server.url}/callbacks/${state}`, { method: 'POST' });
  expect(posted.status).toBe(404);
  await fetch(address);
  expect(await comeBack(server, address, { origin: 'https://evil.example' })).toBe(403);
  expect(await comeBack(server, address)).toBe(200);
  expect((await journey.result()).result).toMatch(/^Signed in/);
  expect(await comeBack(server, address)).toBe(409);
});

async function stageForTwo() {
  const authority = await useInTest(new AuthorisationServer());
  const toy = await useInTest(new HttpToy('modern', demandToken(authority)));
  const plugins = [makeMcpPlugin()];
  const server = await useInTest(
    new TestServer({ plugins, token: makeToken(), pluginConfigs: { mcp: { mcpServers: { web: { url: toy.url } } } } }),
  );
  const [ann, bob] = [await addToken(server, { role: 'operator' }), await addToken(server, { role: 'operator' })];
  const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });
  const journey = await begin(server, { token: ann.token });
  const prompt = await journey.ask('web__sign_in');
  return { authority, server, journey, prompt, ann: bearer(ann), bob: bearer(bob) };
}

test('[AGT4, SEC4] only the person who agreed can sign in and return: attempts of others are rejected and do not use it up', async () => {
  const { authority, server, journey, prompt, ann, bob } = await stageForTwo();
  await journey.answer(prompt, { action: 'approve' });
  const card = new URL(prompt.url ?? '');
  const address = await authority.visit(await setOut(server, prompt, ann));
  for (const each of [card, address]) {
    expect(await bring(server, each, bob)).toEqual({ status: 403 });
    expect(await bring(server, each)).toEqual({ status: 401 });
  }
  expect(await comeBack(server, address, ann)).toBe(200);
  expect((await journey.result()).result).toMatch(/^Signed in/);
});

test('[AGT4, SEC4] others who see the card cannot inject a code of their own: only the person who agreed knows the state', async () => {
  const { authority, server, journey, prompt, ann } = await stageForTwo();
  await journey.answer(prompt, { action: 'approve' });
  const way = new URL(await setOut(server, prompt, ann));
  const seen = new URL(prompt.url ?? '').searchParams.get('state') ?? '';
  const state = way.searchParams.get('state') ?? '';
  const told = JSON.stringify([journey.events(), journey.client.state]);
  expect(told).toContain(seen);
  for (const secret of ['state', 'code_challenge']) expect(told).not.toContain(way.searchParams.get(secret));
  const lure = new URL(way); // even with the right challenge
  for (const guess of [seen, `${seen}~`, `${seen}~${'A'.repeat(43)}`, state.slice(0, -1), `${state}~`]) {
    lure.searchParams.set('state', guess);
    expect(await comeBack(server, await authority.visit(lure.href), ann)).toBe(403);
  }
  expect(authority.asked).not.toContain('/token');
  expect(await comeBack(server, await authority.visit(way.href), ann)).toBe(200);
  expect((await journey.result()).result).toMatch(/^Signed in/);
});

test('[AGT4] a response of another authorisation server is rejected: no code is redeemed, and people are asked again', async () => {
  const { authority, server } = await stage();
  authority.answersAs = 'https://evil.example';
  const journey = await begin(server);
  await signIn(server, authority, journey, await journey.ask('web__sign_in'));
  const [, again] = await journey.prompts(2);
  expect(authority.asked).not.toContain('/token');
  authority.answersAs = undefined;
  await signIn(server, authority, journey, again!);
  expect((await journey.result()).result).toMatch(/^Signed in/);
});

test.each([
  ['a file', 'file:///etc/passwd'],
  ['a script', 'javascript:alert(1)'],
  ['plain HTTP elsewhere', 'http://login.example/authorize'],
])('[AGT4, SEC6] nobody is sent to %s', async (_, place) => {
  const { authority, server } = await stage();
  authority.authorizeAt = place;
  const journey = await begin(server);
  expect((await journey.run('web__sign_in')).error).toMatchObject({ code: 'mcp_unauthorised' });
  expect(journey.events('interaction_request')).toEqual([]);
});

test('[AGT4] a person can decline to sign in, and the call ends; so can they at the authorisation server', async () => {
  const { authority, server } = await stage();
  const journey = await begin(server);
  await journey.answer(await journey.ask('web__sign_in'), { action: 'deny' });
  expect((await journey.result()).error).toMatchObject({ code: 'mcp_unauthorised' });
  const other = await begin(server);
  const prompt = await other.ask('web__sign_in');
  await other.answer(prompt, { action: 'approve' });
  const address = await authority.visit(await setOut(server, prompt));
  address.searchParams.delete('code');
  address.searchParams.set('error', 'access_denied');
  expect(await comeBack(server, address)).toBe(200);
  const [, again] = await other.prompts(2);
  await other.answer(again!, { action: 'cancel' });
  expect((await other.result()).error).toMatchObject({ code: 'mcp_unauthorised' });
});

test('[AGT4] several sessions wait: once one person has signed in, the others need not', async () => {
  const { authority, server } = await stage();
  const [one, other] = [await begin(server), await begin(server)];
  const prompt = await one.ask('web__sign_in');
  const spared = await other.ask('web__sign_in');
  await signIn(server, authority, one, prompt);
  expect((await one.result()).result).toMatch(/^Signed in/);
  const { payload } = await other.event('interaction_closed');
  expect(payload).toMatchObject({
    interactionId: spared.interactionId,
    reason: 'withdrawn',
    note: 'Somebody has signed in.',
  });
  expect((await other.result()).result).toMatch(/^Signed in/);
});

const question = {
  params: {
    mode: 'form',
    message: 'Tell me.',
    requestedSchema: { type: 'object', properties: { a: { type: 'string' } } },
  },
};

test('[AGT4, PLG11] once somebody else has signed in, the call continues without the person who is away, who learns that on return', async () => {
  const { authority, server } = await stage();
  await signInOnce(server, authority);
  authority.expire({ isForGood: true });
  const [journey, other] = [await begin(server), await begin(server)];
  const prompt = await journey.ask('web__ask', question);
  await journey.answer(prompt, { action: 'approve' });
  const address = await authority.visit(await setOut(server, prompt));
  await signIn(server, authority, other, await other.ask('web__echo'));
  const [, asked] = await journey.prompts(2);
  expect((await journey.event('callback_settled')).payload.outcome).toBe('withdrawn');
  expect(await comeBack(server, address)).toBe(409);
  await journey.submit(asked!, { a: 'mine' });
  expect((await journey.result()).result).toContain('mine');
});

/** Starts a call with an open question whose sign-in has expired meanwhile. */
async function askWithLostTokens(era: 'legacy' | 'modern') {
  const { authority, server } = await stage(era);
  await signInOnce(server, authority);
  const journey = await begin(server);
  const prompt = await journey.ask('web__ask', question);
  authority.expire({ isForGood: true });
  await journey.submit(prompt, { a: 'mine' });
  const [, again] = await journey.prompts(2);
  return { authority, server, journey, again: again! };
}

test.each(['legacy', 'modern'] as const)(
  '[AGT4] tokens of the %s era that end while people are asked are asked for again, and the answer is sent then',
  async (era) => {
    const { authority, server, journey, again } = await askWithLostTokens(era);
    expect(again).toMatchObject({ interactionType: 'url', url: expect.stringContaining(`${server.url}/return?`) });
    await signIn(server, authority, journey, again);
    const { result } = await journey.result();
    expect(JSON.parse(String(result))).toEqual({ action: 'accept', content: { a: 'mine' } });
    expect(journey.events('interaction_request')).toHaveLength(2);
  },
);

test.each(['legacy', 'modern'] as const)(
  '[AGT4] an answer of the %s era that nobody signs in for ends its call with an error',
  async (era) => {
    const { journey, again } = await askWithLostTokens(era);
    await journey.answer(again, { action: 'deny' });
    expect((await journey.result()).error).toMatchObject({ code: 'mcp_unauthorised' });
  },
);

test('[AGT4] a renewal that fails while an answer is sent ends its call with an error', async () => {
  const { authority, server } = await stage('legacy');
  await signInOnce(server, authority);
  const journey = await begin(server);
  const prompt = await journey.ask('web__ask', question);
  authority.expire();
  await authority.remove();
  await journey.submit(prompt, { a: 'mine' });
  const { error } = await journey.result();
  expect(error).toMatchObject({ code: 'mcp_closed', message: expect.stringContaining('whether it took effect') });
});
