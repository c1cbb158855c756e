import { definePlugin, type ToolContext } from '@parleyhq/core';
import { expect, onTestFinished, test } from 'vitest';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';
import { client, LinkBrowser, TestProvider } from '../support/oidc-provider.ts';

const plugin = definePlugin({
  name: 'two',
  tools: [
    {
      name: 'two',
      description: 'Asks two people.',
      parameters: { type: 'object' },
      handler: (_: object, ctx: ToolContext) => ctx.approve({ key: 'two', title: 'Open it?', decide: { approve: 2 } }),
    },
  ],
});

const logIn = async (server: GuardedServer) => {
  const browser = new LinkBrowser();
  await browser.follow(`${server.origin}/api/login/oidc`);
  return browser;
};

const enter = async (server: GuardedServer) => {
  const cookie = (await logIn(server)).cookiesFor(server.origin);
  return server.local.open({ headers: { origin: server.origin, cookie } });
};

/** Starts a server where Ann, who logs in at the provider, is an operator. */
async function start() {
  const provider = await TestProvider.start();
  onTestFinished(() => provider.stop());
  const roles = { 'groups=admins': 'operator', staff: 'responder' } as const;
  const server = await startGuardedServer({ oidc: { issuer: provider.issuer, ...client, roles }, plugins: [plugin] });
  provider.expect(server.origin);
  const ann = { sub: '1', email: 'ann@example.org', email_verified: true, groups: ['admins'] };
  provider.person = ann;
  return { provider, server, ann };
}

/** Starts a server on which Ann, who logs in at the provider, has voted for what another person votes on next. */
async function open() {
  const { provider, server, ann } = await start();
  const tab = await enter(server);
  const { id } = (await tab.waitFor('welcome')).principal ?? {};
  const owner = await server.enter();
  const session = await owner.createSession();
  for (const each of [owner, tab]) await each.follow(session);
  const { seq } = await owner.say(session, '/call two {}');
  const prompt = await owner.prompt(session, seq);
  const yes = { action: 'approve', approvalScope: 'once', digest: prompt.digest } as const;
  expect(await tab.answer(session, prompt, yes)).toMatchObject({ ok: true });
  const count = async () => {
    const before = owner.events(session).length;
    expect(await owner.answer(session, prompt, yes)).toMatchObject({ ok: true });
    const news = () =>
      owner
        .events(session)
        .slice(before)
        .map(({ payload }) => (payload as { votes?: object }).votes);
    await expect.poll(() => news().some((votes) => votes)).toBe(true);
    return news().find((votes) => votes);
  };
  return { provider, server, ann, id: String(id), count };
}

test('[TEAM3, SIGN1] the vote of a revoked person does not count again once they log in again', async () => {
  const { server, id, count } = await open();
  await server.local.store.tokens.remove(id);
  await logIn(server);
  expect((await server.local.store.tokens.list()).map((each) => each.id)).toEqual([id]);
  expect(await count()).toEqual({ approve: 1, deny: 0 });
});

test('[TEAM3, SIGN1] neither does that of a person who had no role in between', async () => {
  const { server, provider, ann, count } = await open();
  provider.person = { ...ann, groups: [] };
  await logIn(server);
  provider.person = ann;
  await logIn(server);
  expect(await count()).toEqual({ approve: 1, deny: 0 });
});

test.each([
  ['name', { email: 'ann.b@example.org' }],
  ['role', { groups: [], roles: ['staff'] }],
])('[TEAM3, SIGN1] a vote stays when its person logs in with another %s', async (_, change) => {
  const { server, provider, ann, count } = await open();
  const [before] = await server.local.store.tokens.list();
  provider.person = { ...ann, ...change };
  await logIn(server);
  const [after] = await server.local.store.tokens.list();
  expect(after).not.toEqual(before);
  expect(after?.createdAt).toBe(before?.createdAt);
  expect(await count()).toEqual({ approve: 2, deny: 0 });
});

test('[TEAM2, TEAM3, SIGN1] tokens made with --owner before the first log-in at the provider are those of that person', async () => {
  const { server } = await start();
  const phone = await server.enter({ role: 'responder', name: 'phone', owner: 'ann@example.org' });
  const page = await enter(server);
  const owner = await server.enter();
  const session = await owner.createSession();
  for (const tab of [owner, phone, page]) await tab.follow(session);
  const { seq } = await owner.say(session, '/call two {}');
  const prompt = await owner.prompt(session, seq);
  const yes = { action: 'approve', approvalScope: 'once', digest: prompt.digest } as const;
  for (const tab of [phone, page]) expect(await tab.answer(session, prompt, yes)).toMatchObject({ ok: true });
  const votes = () =>
    owner.events(session).flatMap(({ type, payload }) => (type === 'interaction_vote' ? [payload.votes] : []));
  await expect.poll(votes).toHaveLength(2);
  expect(votes()).toEqual(Array(2).fill({ approve: 1, deny: 0 })); // the second took the place of the first
});
