import { definePlugin, type ToolContext } from '@parleyhq/core';
import { expect, test } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import type { LocalOptions } from '../support/local-server.ts';

const hour = 3_600_000;
const refusal = { ok: false, error: { code: 'login_again' } };

const plugin = definePlugin({
  name: 'risky',
  tools: [
    ...(['low', 'high'] as const).map((risk) => ({
      name: risk,
      description: `Asks at ${risk} risk.`,
      parameters: { type: 'object' },
      handler: (_: Record<string, unknown>, ctx: ToolContext) =>
        ctx.approve({ key: risk, title: 'Sure?', risk, scopes: ['once', 'session', 'always'] }),
    })),
    {
      name: 'gated',
      description: 'Is asked about at the gate, and says nothing of its risk.',
      parameters: { type: 'object' },
      approval: 'always',
      handler: () => 'done',
    },
  ],
});

/** Starts a server whose clock stands still, and a browser that is logged in to it. */
async function begin(options: LocalOptions = {}) {
  const clock = { now: Date.now() };
  const server = await startGuardedServer({ plugins: [plugin], now: () => clock.now, ...options });
  const { id, token } = await server.makeToken({ role: 'operator', name: 'Ann' });
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${server.origin}${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Origin: server.origin, ...headers },
      body: JSON.stringify(body),
    });
  const logIn = async () =>
    ((await post('/api/login', { token })).headers.get('set-cookie') ?? '').split(';')[0] as string;
  const Cookie = await logIn();
  const tab = await server.local.open({ headers: { Cookie, Origin: server.origin } });
  const session = await tab.createSession();
  await tab.follow(session);
  const setMode = (permissionMode: string) =>
    tab.request({ type: 'update_session', sessionId: session, permissionMode } as never);
  const loginAgain = (body: object, headers: Record<string, string> = { Cookie }) =>
    post('/api/login/again', body, headers);
  const rows = async () => (await server.local.store.audit.read('')).map(({ text }) => JSON.parse(text));
  return { clock, server, id, token, Cookie, tab, session, setMode, loginAgain, logIn, post, rows };
}

test('[SEC9] an old login cannot set a mode that asks nothing until its token is presented again; then the same command passes', async () => {
  const { clock, tab, setMode, loginAgain, token, id, rows, session } = await begin();
  expect(await setMode('bypassPermissions')).toMatchObject({ ok: true });
  await setMode('default');
  clock.now += hour + 1;
  expect(await setMode('bypassPermissions')).toMatchObject(refusal);
  const create = { type: 'create_session', permissionMode: 'bypassPermissions' } as const;
  expect(await tab.request(create as never)).toMatchObject(refusal);
  for (const mode of ['plan', 'acceptEdits', 'default']) expect(await setMode(mode)).toMatchObject({ ok: true });
  const changes = tab.events(session).filter(({ type }) => type === 'session_changed');
  expect(changes).toHaveLength(5);
  expect((await loginAgain({ token })).status).toBe(204);
  expect(await setMode('bypassPermissions')).toMatchObject({ ok: true });
  expect(await tab.request(create as never)).toMatchObject({ ok: true });
  expect((await rows()).filter(({ event }) => event === 'logged_in_again')).toEqual([
    expect.objectContaining({ principal: id, login: expect.any(String) }),
  ]);
});

test('[SEC9, FRM6] an old login cannot allow anything at high risk for always; the answer that was held back counts under its id', async () => {
  const { clock, tab, session, loginAgain, token } = await begin();
  clock.now += hour + 1;
  await tab.say(session, '/call low {}');
  const low = await tab.prompt(session);
  expect(await tab.answer(session, low, { action: 'approve', approvalScope: 'always' })).toMatchObject({ ok: true });
  const { seq } = await tab.event(session, 'turn_end');
  await tab.say(session, '/call high {}');
  const high = await tab.prompt(session, seq);
  const always = { action: 'approve', approvalScope: 'always', answerId: 'held' };
  expect(await tab.answer(session, high, always)).toMatchObject(refusal);
  const grants = async () => (await tab.ask<{ grants: unknown[] }>({ type: 'list_grants' })).grants.length;
  expect(await grants()).toBe(1);
  await loginAgain({ token });
  expect(await tab.answer(session, high, always)).toMatchObject({ ok: true });
  expect((await tab.event(session, 'interaction_response', undefined, seq)).payload).toMatchObject({
    answerId: 'held',
  });
  expect(await grants()).toBe(2);
});

test('[SEC9] an edit of unknown risk that an old login allows for always runs only once', async () => {
  const { clock, tab, session } = await begin();
  const kept = async () => (await tab.ask<{ grants: unknown[] }>({ type: 'list_grants' })).grants.length;
  const edit = async (x: number) => {
    const { seq } = (await tab.say(session, '/call gated {}')) as { seq: number };
    const gate = await tab.prompt(session, seq);
    await tab.answer(session, gate, { action: 'approve', approvalScope: 'always', editedArgs: { x } });
    await tab.event(session, 'turn_end', undefined, seq);
  };
  await edit(1);
  expect(await kept()).toBe(1);
  clock.now += hour + 1;
  await edit(2);
  expect(await kept()).toBe(1);
});

test('[SEC9] an old login cannot end another one, but can end itself', async () => {
  const { clock, logIn, post, Cookie, loginAgain, token, server } = await begin();
  clock.now += hour + 1;
  const other = await logIn();
  const list = async (cookie: string) =>
    (await (await fetch(`${server.origin}/api/logins`, { headers: { Cookie: cookie, Origin: server.origin } })).json())
      .logins as { id: string; isCurrent?: true }[];
  const theirs = (await list(other)).find(({ isCurrent }) => isCurrent)?.id;
  for (const body of [{ id: theirs }, { others: true }]) {
    const refused = await post('/api/logins/end', body, { Cookie });
    expect([refused.status, await refused.json()]).toMatchObject([403, { error: { code: 'login_again' } }]);
  }
  expect(await list(other)).toHaveLength(2);
  await loginAgain({ token });
  expect((await post('/api/logins/end', { others: true }, { Cookie })).status).toBe(204);
  clock.now += hour + 1;
  expect((await post('/api/logout', {}, { Cookie })).status).toBe(204);
});

test('[SEC9, SEC2, SEC3] a token is presented again only by our own page, and only that of the same principal counts', async () => {
  const { clock, setMode, loginAgain, token, Cookie, server } = await begin();
  clock.now += hour + 1;
  const { token: others } = await server.makeToken({ role: 'operator', name: 'Bob' });
  const status = async (body: object, headers?: Record<string, string>) => (await loginAgain(body, headers)).status;
  expect(await status({ token: others })).toBe(403);
  expect(await status({ token: server.token })).toBe(403);
  expect(await status({ token: 'wrong' })).toBe(401);
  expect(await status({ token: 7 })).toBe(400);
  expect(await status({ token }, {})).toBe(401);
  expect(await status({ token }, { Cookie, 'Content-Type': 'text/plain' })).toBe(400);
  expect(await status({ token }, { Cookie, Origin: 'http://elsewhere.example' })).toBe(403);
  for (let n = 0; n < 9; n += 1) expect(await status({ token: `wrong ${n}` })).toBe(401);
  expect(await status({ token: 'one more' })).toBe(429);
  expect(await setMode('bypassPermissions')).toMatchObject(refusal);
  expect(await status({ token })).toBe(204);
  expect(await setMode('bypassPermissions')).toMatchObject({ ok: true });
});

test('[SEC9] a client that presents its token directly needs no fresh login, and 0 turns the check off', async () => {
  const { clock, server, session } = await begin();
  clock.now += 30 * hour;
  const bypass = { type: 'update_session', sessionId: session, permissionMode: 'bypassPermissions' };
  expect(await (await server.enter()).request(bypass as never)).toMatchObject({ ok: true });
  const free = await begin({ durations: { freshLoginMs: 0 } });
  free.clock.now += 30 * hour;
  expect(await free.setMode('bypassPermissions')).toMatchObject({ ok: true });
});
