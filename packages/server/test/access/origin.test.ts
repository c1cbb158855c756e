import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { useLocalServer } from '../support/local-server.ts';
import { pluginOf } from '../support/plugin-file.ts';
import { rawRequest, upgradeLines } from '../support/raw-http.ts';

const local = useLocalServer({ assetsDir: dirname(pluginOf('<!doctype html>', 'index.html')) });

/** Returns a request for every route, and for a path without one. */
const requests = () =>
  [...local.server.routes, { method: 'GET', path: '/s/a/b' }, { method: 'POST', path: '/no-such-thing' }].map(
    ({ method, path }) => ({ method, path: path.replace(/\*|:\w+/g, 'x') }),
  );

test('[SEC3] the routes are those of the router', () => {
  const paths = local.server.routes.map(({ path }) => path);
  expect(paths).toEqual(expect.arrayContaining(['/', '/healthz', '/metrics', '/api/login', '/assets/*']));
});

/** Hosts, Origins (each is sent as a header of its own) and whether the request is allowed; `:p` is the server's own port. */
const rows: readonly (readonly [
  name: string,
  hosts: readonly string[],
  origins: readonly string[],
  isLetIn: boolean,
])[] = [
  ['no origin, as a program', ['127.0.0.1:p'], [], true],
  ['our own page', ['127.0.0.1:p'], ['http://127.0.0.1:p'], true],
  ['our own page by name', ['localhost:p'], ['http://localhost:p'], true],
  ['our own page over IPv6', ['[::1]:p'], ['http://[::1]:p'], true],
  ['a host in capitals', ['LOCALHOST:p'], ['http://localhost:p'], true],
  ['an evil origin', ['127.0.0.1:p'], ['https://evil.example'], false],
  ['null', ['127.0.0.1:p'], ['null'], false],
  ['an empty origin', ['127.0.0.1:p'], [''], false],
  ['another port of this machine', ['127.0.0.1:p'], ['http://127.0.0.1:1'], false],
  ['no port', ['127.0.0.1:p'], ['http://127.0.0.1'], false],
  ['a name that begins like ours', ['127.0.0.1:p'], ['http://localhost.evil:p'], false],
  ['a name that looks like ours', ['127.0.0.1:p'], ['http://l\u00f3calhost:p'], false],
  ['another scheme', ['127.0.0.1:p'], ['https://127.0.0.1:p'], false],
  ['a rebound name', ['evil.example:p'], [], false],
  ['a rebound name and its own origin', ['evil.example:p'], ['http://evil.example:p'], false],
  ['a host without port', ['127.0.0.1'], [], false],
  ['an origin twice', ['127.0.0.1:p'], ['http://127.0.0.1:p', 'https://evil.example'], false],
  ['the same origin twice', ['127.0.0.1:p'], ['http://127.0.0.1:p', 'http://127.0.0.1:p'], false],
  ['a host twice', ['127.0.0.1:p', 'evil.example'], [], false],
];

describe.each(rows)('[SEC3] %s', (_, hosts, origins, isLetIn) => {
  const headers = () =>
    [...hosts.map((host) => `Host: ${host}`), ...origins.map((origin) => `Origin: ${origin}`)].map((line) =>
      line.replace(/:p$/, `:${local.port}`),
    );

  test(`an upgrade is ${isLetIn ? 'let in' : 'refused'}, at any path`, async () => {
    const [, ...rest] = upgradeLines(headers());
    for (const path of ['/ws', ...requests().map((request) => request.path)]) {
      const { status } = await rawRequest(local.port, [`GET ${path} HTTP/1.1`, ...rest]);
      expect([path, status]).toEqual([path, isLetIn ? (path === '/ws' ? 101 : 404) : 403]);
    }
  });

  test(`every HTTP route is ${isLetIn ? 'let in' : 'refused'}, and says nothing to other origins`, async () => {
    for (const { method, path } of requests()) {
      const lines = [`${method} ${path} HTTP/1.1`, 'Connection: close', 'Content-Length: 0', ...headers()];
      const { status, text } = await rawRequest(local.port, lines);
      expect([path, status === 403]).toEqual([path, !isLetIn]);
      expect(text.toLowerCase()).not.toContain('access-control-');
      expect(text.toLowerCase()).toContain("content-security-policy: default-src 'none'");
      expect(text.toLowerCase()).toContain("frame-ancestors 'none'");
    }
  });
});

test.each([
  ['an image of another site', 'cross-site', 'no-cors', 'image', false],
  ['a script of another port', 'same-site', 'no-cors', 'script', false],
  ['a frame', 'cross-site', 'navigate', 'iframe', false],
  ['a link that is followed', 'cross-site', 'navigate', 'document', true],
  ['a link that is followed, by way of our service worker', 'cross-site', 'navigate', 'empty', true],
  ['data for a page of another site', 'cross-site', 'cors', 'empty', false],
  ['our own page', 'same-origin', 'no-cors', 'script', true],
  ['an address that is typed', 'none', 'navigate', 'document', true],
])('[SEC3] a browser that sends no Origin: %s', async (_, site, mode, destination, isLetIn) => {
  const headers = [`Sec-Fetch-Site: ${site}`, `Sec-Fetch-Mode: ${mode}`, `Sec-Fetch-Dest: ${destination}`];
  for (const { method, path } of requests()) {
    const lines = [`${method} ${path} HTTP/1.1`, 'Connection: close', 'Content-Length: 0'];
    const { status } = await rawRequest(local.port, [...lines, `Host: 127.0.0.1:${local.port}`, ...headers]);
    expect([path, status === 403]).toEqual([path, !isLetIn]);
  }
});

describe('[TRN3] a server whose page may be framed', () => {
  const framed = useLocalServer({
    assetsDir: dirname(pluginOf('<!doctype html>', 'index.html')),
    frameAncestors: ['https://app.example.org/path'],
  });
  const ask = (destination: string, mode: string) =>
    rawRequest(framed.port, [
      'GET / HTTP/1.1',
      'Connection: close',
      `Host: 127.0.0.1:${framed.port}`,
      'Sec-Fetch-Site: cross-site',
      `Sec-Fetch-Mode: ${mode}`,
      `Sec-Fetch-Dest: ${destination}`,
    ]);

  test('is shown in frames, by the pages of the origins that it names', async () => {
    const { status, text } = await ask('iframe', 'navigate');
    expect(status).toBe(200);
    expect(text.toLowerCase()).toContain('frame-ancestors https://app.example.org;');
    expect(text.toLowerCase()).not.toContain('x-frame-options');
  });

  test.each([
    ['image', 'no-cors'],
    ['script', 'no-cors'],
    ['object', 'navigate'],
    ['iframe', 'no-cors'],
  ])('is not a %s of theirs (%s)', async (destination, mode) => {
    expect((await ask(destination, mode)).status).toBe(403);
  });
});

test('[SEC3] a request without a Host is refused', async () => {
  expect((await rawRequest(local.port, ['GET /healthz HTTP/1.1', 'Connection: close'])).status).toBe(400);
  expect((await rawRequest(local.port, ['GET /healthz HTTP/1.0'])).status).toBe(400);
});

test('[SEC3] a preflight gets no CORS headers', async () => {
  const lines = ['OPTIONS /api/login HTTP/1.1', 'Connection: close', `Host: 127.0.0.1:${local.port}`];
  const { status, text } = await rawRequest(local.port, [...lines, 'Origin: https://evil.example']);
  expect(status).toBe(403);
  expect(text.toLowerCase()).not.toContain('access-control-');
});

test('[SEC3] an upgrade outside /ws is not found', async () => {
  const [, ...rest] = upgradeLines([`Host: 127.0.0.1:${local.port}`]);
  expect((await rawRequest(local.port, ['GET /other HTTP/1.1', ...rest])).status).toBe(404);
});

test('[SEC3] malformed requests do not affect others', async () => {
  const host = `Host: 127.0.0.1:${local.port}`;
  const [, ...upgrade] = upgradeLines([host]);
  const broken = [
    ['nonsense'],
    ['GET /ws HTTP/1.1', host, 'Connection: Upgrade', 'Upgrade: websocket'],
    ['GET /ws HTTP/1.1', host, 'Connection: Upgrade', 'Upgrade: h2c'],
    ['GET //[ HTTP/1.1', ...upgrade],
    ['GET /%ff%00 HTTP/1.1', host, 'Connection: close'],
    ['GET /../../etc/passwd HTTP/1.1', host, 'Connection: close'],
    ['GET / HTTP/1.1', host, 'Connection: close', 'Origin: ://'],
  ];
  for (const lines of broken) await rawRequest(local.port, lines).catch(() => undefined);
  expect((await fetch(`http://127.0.0.1:${local.port}/healthz`)).status).toBe(200);
});

describe('[SEC3, OPS8] behind a proxy', () => {
  const behind = useLocalServer({
    assetsDir: dirname(pluginOf('<!doctype html>whole', 'index.html')),
    isBehindProxy: true,
    allowedOrigins: ['https://parley.example'],
  });
  const open = (...lines: readonly string[]) =>
    rawRequest(behind.port, ['GET /s/x HTTP/1.1', ...lines, 'Connection: close']);

  test('the page is served where a browser can load it', async () => {
    expect(await open('Host: parley.example')).toMatchObject({ status: 200, text: expect.stringContaining('whole') });
    const own = [`Host: 127.0.0.1:${behind.port}`, 'X-Forwarded-Proto: https'];
    expect(await open(...own)).toMatchObject({ status: 200, text: expect.stringContaining('whole') });
  });

  test('past the proxy a page says where it is instead of staying empty', async () => {
    const { status, text } = await open(`Host: 127.0.0.1:${behind.port}`);
    expect([status, text]).toEqual([403, expect.stringContaining(`127.0.0.1:${behind.port} goes past the proxy`)]);
  });
});
