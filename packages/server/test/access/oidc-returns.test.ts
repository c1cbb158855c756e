import { expect, onTestFinished, test, vi } from 'vitest';
import { startGuardedServer } from '../support/guarded-server.ts';
import { client, LinkBrowser, TestProvider } from '../support/oidc-provider.ts';
import { rawRequest } from '../support/raw-http.ts';

const isReturn = (url: URL) => url.pathname.endsWith('/return');

async function open() {
  const provider = await TestProvider.start();
  onTestFinished(() => provider.stop());
  const server = await startGuardedServer({ oidc: { issuer: provider.issuer, ...client, roles: { '*': 'operator' } } });
  provider.expect(server.origin);
  /** Begins a log-in, as far as the way back. */
  const leave = async (browser: LinkBrowser, to = '/') =>
    (await browser.follow(`${server.origin}/api/login/oidc?${new URLSearchParams({ to })}`, isReturn)).url;
  return { provider, server, leave };
}

const endOf = async (browser: LinkBrowser, from: URL) => {
  const { url } = await browser.follow(from.href);
  return `${url.pathname}${url.hash}`;
};

/** Navigates as a browser does from a page of a site. */
const visit = async (port: number, site: string) => {
  const { text } = await rawRequest(port, [
    'GET /api/login/oidc?to=/inbox HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Sec-Fetch-Site: ${site}`,
    'Sec-Fetch-Mode: navigate',
    'Sec-Fetch-Dest: document',
    'Connection: close',
  ]);
  return { to: /^location: (.+)$/im.exec(text)?.[1]?.trim(), isBegun: /^set-cookie: parley_/im.test(text) };
};

const flowsOf = (browser: LinkBrowser, url: URL) => browser.cookiesFor(url).match(/_oidc_/g)?.length ?? 0;

test('[SIGN1] several tabs of a browser begin to log in, and each comes back to where it began, in any order', async () => {
  const { leave } = await open();
  const browser = new LinkBrowser();
  const urls = [await leave(browser, '/inbox'), await leave(browser, '/s/a'), await leave(browser, '/s/b')] as const;
  const ends = [urls[1], urls[0], urls[2]].map((url) => () => endOf(browser, url));
  const ended: string[] = [];
  for (const end of ends) ended.push(await end());
  expect(ended).toEqual(['/s/a', '/inbox', '/s/b']);
  expect(flowsOf(browser, urls[0])).toBe(0);
  expect(await endOf(browser, urls[0])).toBe('/#login=failed'); // each comes back once
});

test('[SIGN1] a return that this browser did not begin ends no log-in in progress', async () => {
  const { server, leave } = await open();
  const browser = new LinkBrowser();
  const url = await leave(browser, '/inbox');
  for (const query of ['', '?state=x', '?state=', '?state=x%0d%0aset-cookie:y', `?state=${'x'.repeat(3000)}`])
    expect(await endOf(browser, new URL(`${server.origin}/api/login/oidc/return${query}`)), query).toBe(
      '/#login=failed',
    );
  expect(await endOf(browser, url)).toBe('/inbox');
});

test('[SIGN1, SEC3] a link on another site leads to the page, and logs nobody in', async () => {
  const { server, provider } = await open();
  const { port } = server.local;
  expect(await visit(port, 'cross-site')).toEqual({ to: '/inbox', isBegun: false });
  for (const site of ['same-origin', 'none'])
    expect(await visit(port, site), site).toEqual({ to: expect.stringContaining(provider.issuer), isBegun: true });
});

test('[SIGN1, SEC11] a browser keeps few log-ins in progress: the newest', async () => {
  const { leave } = await open();
  const browser = new LinkBrowser();
  const urls: URL[] = [];
  for (let count = 0; count < 6; count += 1) urls.push(await leave(browser, `/s/${count}`));
  const [oldest, , , , fifth, newest] = urls as [URL, URL, URL, URL, URL, URL];
  expect(flowsOf(browser, newest)).toBe(4);
  expect(await endOf(browser, oldest)).toBe('/#login=failed');
  expect([await endOf(browser, fifth), await endOf(browser, newest)]).toEqual(['/s/4', '/s/5']);
});

test('[SIGN1, WEB6] whoever opens the address of a prompt and logs in at the provider comes to the prompt', async () => {
  const { leave } = await open();
  const prompts = [
    '/s/01a22adb-4255-7027-a0bc-a63b02c3da14/01a22adb-4255-7027-a0bc-a63b02c3da14.1',
    '/s/a/call%3Ab%2Fc.1',
  ];
  const browser = new LinkBrowser();
  for (const to of prompts) expect(await endOf(browser, await leave(browser, to))).toBe(to);
  const foreign = [
    ...['/s/../api/logout', '/s/%2e%2e/x', '/s/a/..', '/s/a/%2E', '/s/a/b/c', '/s//evil.example', '/s/a?b', '/s/a#b'],
    ...['/s/a\\b', '/s/a\n', '/s/a/b c', '//s/evil.example', `/s/${'a'.repeat(1000)}`],
  ];
  for (const to of foreign) expect(await endOf(browser, await leave(browser, to)), to).toBe('/');
});

test('[SIGN1, SEC11] who comes back while too many wait for the provider is not forgotten, and may come again', async () => {
  const { provider, leave } = await open();
  const people = await Promise.all(
    Array.from({ length: 17 }, async () => {
      const browser = new LinkBrowser();
      return { browser, url: await leave(browser, '/inbox') };
    }),
  );
  let issue = () => {};
  provider.issuesAfter = new Promise((resolve) => {
    issue = resolve;
  });
  const waiting = people.slice(0, 16).map(({ browser, url }) => endOf(browser, url));
  await vi.waitFor(() => expect(provider.exchanged).toBe(16), 5000);
  const { browser, url } = people[16] as (typeof people)[number];
  expect(await endOf(browser, url)).toBe('/#login=busy');
  issue();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['/inbox']));
  expect(await endOf(browser, url)).toBe('/inbox');
});
