import type { OidcSettings } from '@parleyhq/server';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type GuardedServer, startGuardedServer } from '../support/guarded-server.ts';
import { loadPlugin } from '../support/journey.ts';
import { type LocalOptions, startLocalServer } from '../support/local-server.ts';
import { client, LinkBrowser, TestProvider } from '../support/oidc-provider.ts';
import type { Tab } from '../support/tab.ts';

const hour = 3_600_000;
const roles = { 'groups=admins': 'operator', staff: 'responder', 'email=vic@example.org': 'viewer' } as const;

async function open(change: Partial<OidcSettings> = {}, options: LocalOptions = {}) {
  const provider = await TestProvider.start();
  onTestFinished(() => provider.stop());
  const oidc = { issuer: provider.issuer, ...client, roles, ...change };
  let ahead = 0;
  const server = await startGuardedServer({
    ...{ oidc, plugins: [await loadPlugin('approve.mjs')] },
    now: () => Date.now() + ahead,
    ...options,
  });
  provider.expect(server.origin);
  const setClock = (ms: number) => {
    ahead = ms;
  };
  return { provider, server, setClock };
}

/** Logs in with a browser of its own. @returns the browser, and where it ended */
async function logIn({ origin }: GuardedServer, { browser = new LinkBrowser(), query = '' } = {}) {
  const { url } = await browser.follow(`${origin}/api/login/oidc${query}`);
  return { browser, end: `${url.pathname}${url.hash}` };
}

const isReturn = (url: URL) => url.pathname.endsWith('/return');

const isPerson = (server: GuardedServer, browser: LinkBrowser) =>
  browser.get(`${server.origin}/api/logins`, { headers: { origin: server.origin } }).then(({ ok }) => ok);

function enter(server: GuardedServer, browser: LinkBrowser): Promise<Tab> {
  return server.local.open({ headers: { origin: server.origin, cookie: browser.cookiesFor(server.origin) } });
}

const principalOf = async (tab: Tab) => (await tab.waitFor('welcome')).principal;

test('[SIGN1] people log in at the provider, with PKCE, and have the role that their claims give', async () => {
  const { provider, server } = await open();
  expect(await (await fetch(`${server.origin}/api/login/ways`)).json()).toEqual({
    oidc: { name: new URL(provider.issuer).host },
  });
  const people = [
    [
      { sub: '1', groups: ['staff', 'admins'], email: 'ann@example.org', email_verified: true },
      'operator',
      'ann@example.org',
    ],
    [
      { sub: '2', roles: ['staff'], preferred_username: 'bob' },
      'responder',
      expect.stringMatching(/^bob \(oidc-\w{20}\)$/),
    ],
    [{ sub: '3', email: 'vic@example.org', email_verified: true, name: 'Vic' }, 'viewer', 'vic@example.org'],
  ] as const;
  for (const [person, role, name] of people) {
    provider.person = { ...person };
    const { browser, end } = await logIn(server, { query: '?to=/inbox' });
    expect(end).toBe('/inbox');
    expect(await principalOf(await enter(server, browser))).toMatchObject({ role, name });
  }
  expect(Object.fromEntries(provider.asked[0] ?? [])).toMatchObject({
    code_challenge_method: 'S256',
    client_id: 'parley',
  });
  const ids = (await server.local.store.tokens.list()).map(({ id, issuer }) => [id, issuer]);
  expect(ids).toEqual(people.map(() => [expect.stringMatching(/^oidc-\w{20}$/), provider.issuer]));
});

test('[SIGN1, SEC9] the principal stays the same; its role follows the claims at each log-in, and who loses it loses grants', async () => {
  const { provider, server } = await open();
  const self = { sub: '1', email: 'ann@example.org', email_verified: true };
  provider.person = { ...self, groups: ['admins'] };
  const ann = await enter(server, (await logIn(server)).browser);
  const { id } = await principalOf(ann);
  const session = await ann.createSession();
  await ann.follow(session);
  const { seq } = await ann.say(session, '/call touch {"path":"x"}');
  await ann.answer(session, await ann.prompt(session, seq), { action: 'approve', approvalScope: 'always' });
  await ann.event(session, 'turn_end');
  const grants = () => server.local.store.grants.list(Date.now());
  expect(await grants()).toMatchObject([{ by: { principal: id, name: 'ann@example.org' } }]);

  await logIn(server); // the same claims: everything stays
  expect(await grants()).toHaveLength(1);
  provider.person = { ...self, roles: ['staff'] };
  const { browser } = await logIn(server);
  await ann.closed();
  expect(await principalOf(await enter(server, browser))).toMatchObject({ id, role: 'responder' });
  expect(await grants()).toEqual([]);

  provider.person = self;
  expect((await logIn(server)).end).toBe('/#login=no_role');
  expect(await isPerson(server, browser)).toBe(false);
  expect(await server.local.store.tokens.list()).toEqual([]);
});

test('[SIGN1, SEC9] a log-in ends with a log-out, with its time, and with its principal', async () => {
  const { provider, server, setClock } = await open({ loginMs: 60_000 });
  provider.person = { sub: '1', groups: ['admins'] };
  const { browser } = await logIn(server);
  const tab = await enter(server, browser);
  const { id } = await principalOf(tab);
  await browser.get(`${server.origin}/api/logout`, { method: 'POST', headers: { origin: server.origin } });
  await tab.closed();

  const second = (await logIn(server)).browser;
  expect(await isPerson(server, second)).toBe(true);
  const watching = await enter(server, second);
  setClock(61_000);
  await watching.closed();
  expect(await isPerson(server, second)).toBe(false);

  const third = (await logIn(server)).browser;
  const last = await enter(server, third);
  await server.local.store.tokens.remove(id);
  await last.closed();
  expect(await isPerson(server, third)).toBe(false);
});

test('[SIGN1, SEC9] a log-in that was on its way when its person was revoked does not come alive with their next one', async () => {
  const { provider, server } = await open();
  provider.person = { sub: '1', groups: ['admins'] };
  const { logins, tokens } = server.local.store;
  const add = logins.add.bind(logins);
  logins.add = async (hash, login) => {
    logins.add = add;
    await tokens.remove(String(login.tokenId)); // parley token revoke, just now
    return add(hash, login);
  };
  const late = await logIn(server);
  expect(late.end).toBe('/#login=failed');
  const { browser } = await logIn(server);
  expect([await isPerson(server, browser), await isPerson(server, late.browser)]).toEqual([true, false]);
});

test('[SIGN1] nobody comes in with a replayed, foreign, changed or old return, or one of another provider', async () => {
  const { provider, server, setClock } = await open();
  provider.person = { sub: '1', groups: ['admins'] };
  const arrive = async () => {
    const browser = new LinkBrowser();
    return { browser, ...(await browser.follow(`${server.origin}/api/login/oidc`, isReturn)) };
  };
  const endOf = async (browser: LinkBrowser, url: URL | string) => {
    const { url: end } = await browser.follow(String(url));
    return `${end.pathname}${end.hash}`;
  };
  const used = await arrive();
  const replaying = used.browser.copy();
  expect(await endOf(used.browser, used.url)).toBe('/');
  expect(await endOf(used.browser, used.url)).toBe('/#login=failed'); // its cookie was deleted
  expect(await endOf(replaying, used.url)).toBe('/#login=failed'); // its ticket is used up
  expect(provider.exchanged).toBe(1);

  const [one, other] = [await arrive(), await arrive()];
  expect(await endOf(new LinkBrowser(), one.url)).toBe('/#login=failed'); // somebody else's browser
  expect(await endOf(one.browser.copy(), other.url)).toBe('/#login=failed'); // another state

  for (const [name, value] of [
    ['state', 'x'],
    ['code', 'x'],
    ['iss', 'https://evil.example.org'],
  ] as const) {
    const { browser, url } = await arrive();
    url.searchParams.set(name, value);
    expect(await endOf(browser, url), name).toBe('/#login=failed');
    expect(await isPerson(server, browser), name).toBe(false);
  }
  const slow = await arrive();
  setClock(16 * 60_000);
  expect(await endOf(slow.browser, slow.url)).toBe('/#login=failed');
});

test('[SIGN1] the way back leads nowhere but to the page', async () => {
  const { provider, server } = await open();
  provider.person = { sub: '1', groups: ['admins'] };
  for (const to of [
    'https://evil.example.org',
    '//evil.example.org',
    '/\\evil.example.org',
    '/s/../api/logout',
    'inbox',
  ])
    expect((await logIn(server, { query: `?to=${encodeURIComponent(to)}` })).end, to).toBe('/');
});

test('[SIGN1] new keys of the provider are accepted at once; while it is away, those logged in go on', async () => {
  const { provider, server } = await open();
  provider.person = { sub: '1', groups: ['admins'] };
  const { browser } = await logIn(server);
  provider.rotateKeys();
  expect((await logIn(server)).end).toBe('/');
  const late = new LinkBrowser();
  const { url } = await late.follow(`${server.origin}/api/login/oidc`, isReturn);
  await provider.stop();
  const { url: end } = await late.follow(url.href);
  expect(end.hash).toBe('#login=failed');
  const tab = await enter(server, browser);
  expect(await principalOf(tab)).toMatchObject({ role: 'operator' });
  expect(await tab.createSession()).toBeTruthy();
});

test('[SIGN1, SEC9] who is logged in shows again who they are at the provider, and nobody else can do it for them', async () => {
  const { provider, server, setClock } = await open();
  provider.person = { sub: '1', groups: ['admins'] };
  const { browser } = await logIn(server);
  const { store } = server.local;
  const provedAt = async () => Date.parse((await store.logins.list(0))[0]?.provedAt ?? '');
  const first = await provedAt();
  setClock(2 * hour);
  expect((await logIn(server, { browser, query: '?again' })).end).toBe('/');
  expect(await provedAt()).toBeGreaterThanOrEqual(first + 2 * hour);
  expect(Object.fromEntries(provider.asked.at(-1) ?? [])).toMatchObject({ prompt: 'login' });
  expect(await store.logins.list(0)).toHaveLength(1);

  provider.person = { sub: '2', groups: ['admins'] };
  const other = browser.copy('parley_'); // not logged in at the provider
  expect((await logIn(server, { browser: other, query: '?again' })).end).toBe('/#login=other_person');
  expect(await store.tokens.list()).toHaveLength(1);
  expect((await logIn(server, { query: '?again' })).end).toBe('/#login=failed'); // nobody is logged in
});

test('[SIGN1, SEC9] whoever is still logged in at the provider has not shown who they are', async () => {
  for (const statesTime of [true, false]) {
    const { provider, server, setClock } = await open();
    provider.statesTime = statesTime;
    provider.expect(server.origin);
    provider.person = { sub: '1', groups: ['admins'] };
    const askNothing = async (browser: LinkBrowser) =>
      (await enter(server, browser)).request({ type: 'create_session', permissionMode: 'bypassPermissions' } as never);
    const { browser } = await logIn(server);
    expect(await askNothing(browser)).toMatchObject({ ok: statesTime });
    setClock(2 * hour);
    await logIn(server, { browser }); // the provider asks nothing
    expect(await askNothing(browser)).toMatchObject({ ok: false, error: { code: 'login_again' } });
    await logIn(server, { browser, query: '?again' });
    expect(await askNothing(browser)).toMatchObject({ ok: true });
  }
});

test('[SIGN1, SEC2] behind a proxy people log in and show again who they are, over TLS alone', async () => {
  const { provider, server } = await open({}, { isBehindProxy: true });
  const origin = server.origin.replace('http:', 'https:');
  provider.expect(origin);
  provider.person = { sub: '1', groups: ['admins'] };
  const browser = new LinkBrowser();
  for (const query of ['', '?again']) {
    const { url, response } = await browser.follow(`${origin}/api/login/oidc${query}`);
    expect([url.href, response.status < 500]).toEqual([`${origin}/`, true]);
  }
  expect((await browser.get(`${origin}/api/logins`, { headers: { origin } })).status).toBe(200);
});

test('[SIGN1] an e-mail address gives a role only if it is verified, and a name that people choose never stands alone', async () => {
  const { provider, server } = await open();
  for (const email_verified of [false, undefined, 'true']) {
    provider.person = { sub: '1', email: 'vic@example.org', email_verified };
    expect((await logIn(server)).end).toBe('/#login=no_role');
  }
  const nameAt = async (at: GuardedServer) => {
    const { name, id } = await principalOf(await enter(at, (await logIn(at)).browser));
    return name?.replace(id, 'id');
  };
  provider.person = { sub: '2', groups: ['admins'], email: 'boss@example.org', email_verified: false, name: 'Boss' };
  expect(await nameAt(server)).toBe('Boss (id)');
  provider.person = { sub: '3', groups: ['admins'], email: 'boss@example.org', name: 'Boss' };
  expect(await nameAt(server)).toBe('boss@example.org (id)');

  const named = await open({ nameClaim: 'preferred_username' });
  named.provider.person = { sub: '1', groups: ['admins'], preferred_username: 'boss' };
  expect(await nameAt(named.server)).toBe('boss');
  const mailed = await open({ nameClaim: 'email' });
  mailed.provider.person = { sub: '1', groups: ['admins'], email: 'boss@example.org', email_verified: false };
  expect(await nameAt(mailed.server)).toBe('boss@example.org (id)');
  mailed.provider.person = { ...mailed.provider.person, sub: '2', email_verified: true };
  expect(await nameAt(mailed.server)).toBe('boss@example.org');
});

test('[SIGN1] a person is the same whether the issuer was written with a slash at its end or without', async () => {
  const { provider, server } = await open();
  const oidc = { ...client, roles, issuer: `${provider.issuer}/` };
  const other = await startGuardedServer({ oidc });
  provider.person = { sub: '1', groups: ['admins'] };
  const { id } = await principalOf(await enter(server, (await logIn(server)).browser));
  provider.expect(other.origin);
  expect((await principalOf(await enter(other, (await logIn(other)).browser))).id).toBe(id);
});

test('[SIGN1, SEC2] a cookie that another port planted does not hide that of the way back', async () => {
  const { provider, server } = await open();
  provider.person = { sub: '1', groups: ['admins'] };
  const browser = new LinkBrowser();
  const { url } = await browser.follow(`${server.origin}/api/login/oidc`, isReturn);
  const own = browser.cookiesFor(url);
  const [name] = own.split('=');
  const { headers } = await browser.get(url, { headers: { cookie: `${name}=planted; ${own}; ${name}=planted` } });
  expect(headers.get('location')).toBe('/');
});

test('[SIGN1, SEC11] a refused or failed log-in leads back to the page, and the log says why', async () => {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const { provider, server } = await open({}, { quotas: { loginsPerHour: 1 }, log });
  provider.person = { sub: '1', roles: ['staff'] };
  expect((await logIn(server)).end).toBe('/');
  expect((await logIn(server)).end).toBe('/#login=failed');
  expect(lines.join()).toContain('an hour');
  provider.person = { sub: '2', department: 'x' };
  expect((await logIn(server)).end).toBe('/#login=no_role');
  expect(lines.map((line) => JSON.parse(line)).at(-1)).toMatchObject({
    claims: expect.arrayContaining(['sub', 'iss']),
  });
});

test('[SIGN1] a server that admits everybody logs nobody in', async () => {
  const provider = await TestProvider.start();
  onTestFinished(() => provider.stop());
  const server = await startLocalServer({ oidc: { issuer: provider.issuer, ...client, roles } });
  const response = await fetch(`${server.httpUrl}/api/login/oidc`, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([303, '/']);
  expect(response.headers.getSetCookie()).toEqual([]);
});

test('[SIGN1, TEAM1] a name that somebody has already, or that nobody may have, does not name two people', async () => {
  const { provider, server } = await open();
  await server.makeToken({ role: 'responder', name: 'ann@example.org' });
  for (const [sub, email] of [
    ['1', 'ann@example.org'],
    ['2', 'owner'],
    ['3', '3f9a0c1b2d4e'],
    ['4', `oidc-${'0'.repeat(20)}`],
  ] as const) {
    provider.person = { sub, email, email_verified: true, groups: ['admins'] };
    const { name, id } = await principalOf(await enter(server, (await logIn(server)).browser));
    expect(name).toBe(`${email} (${id})`);
  }
  for (const email of ['a\u202Eb', 'a\nb', 'a\tb', '\ra']) {
    provider.person = { sub: '5', email, email_verified: true, groups: ['admins'] };
    expect(await principalOf(await enter(server, (await logIn(server)).browser)), email).not.toHaveProperty('name');
  }
});

test('[SIGN1] clocks may differ by half a minute, and no more', async () => {
  const { provider, server } = await open();
  provider.person = { sub: '1', groups: ['admins'] };
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  for (const [seconds, end] of [
    [620, '/'],
    [640, '/#login=failed'],
  ] as const) {
    const { now } = Date;
    provider.onIssued = () => vi.setSystemTime(now() + seconds * 1000);
    expect((await logIn(server)).end, `${seconds}`).toBe(end);
  }
});

test('[SIGN1] a server without a provider has no such log-in', async () => {
  const server = await startGuardedServer();
  expect(await (await fetch(`${server.origin}/api/login/ways`)).json()).toEqual({});
  expect((await fetch(`${server.origin}/api/login/oidc`, { redirect: 'manual' })).status).toBe(404);
});
