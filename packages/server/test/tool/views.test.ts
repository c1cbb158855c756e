import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { definePlugin, type Plugin, type View } from '@parleyhq/core';
import { expect, onTestFinished, test } from 'vitest';
import { Journey } from '../support/journey.ts';
import { LocalServer, startLocalServer } from '../support/local-server.ts';

const fields = [{ id: 'word', type: 'text', label: 'Word' }] as const;

/** Makes a plugin with one view, and a tool that names the view in its arguments. */
const pluginWith = (view: View, name = 'page'): Plugin =>
  definePlugin({
    name: 'viewing',
    views: { [name]: view },
    tools: [
      {
        name: 'show',
        description: 'Shows a view.',
        parameters: { type: 'object' },
        handler: (args: { name: string }, ctx) =>
          ctx.requestInteraction({
            type: 'input',
            view: { name: args.name, data: { a: 1 } },
            inputSchema: { type: 'form', fields: [...fields] },
            onResponse: ({ input }) =>
              input?.word === 'again' ? { reprompt: { view: { name: 'pgae' } } } : { complete: 'ok' },
          }),
      },
    ],
  });

test('[PLG10] a request names a view of its plugin, which is stored with it; another name is refused with the one that was meant', async () => {
  const server = await startLocalServer({ plugins: [pluginWith({ html: '<p>', height: 300 })] });
  const journey = await Journey.begin(server);
  const prompt = await journey.ask('show', { name: 'page' });
  expect(prompt.view).toEqual({ plugin: 'viewing', name: 'page', data: { a: 1 }, height: 300 });
  await journey.submit(prompt, { word: 'again' });
  expect((await journey.outcome()).error).toMatchObject({
    code: 'invalid_outcome',
    message: expect.stringContaining('Did you mean "page"'),
  });
  const { error } = await (await Journey.begin(server)).run('show', { name: 'pag' });
  expect(error).toMatchObject({
    code: 'tool_error',
    message: expect.stringContaining('the plugin "viewing" has no view "pag"'),
  });
});

test('[PLG10, SEC3] the page of a view is the plugin’s file preceded by the bridge, in an origin of its own and without network access', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-view-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'page.html'), '<!DOCTYPE html>\n<p>Hello');
  const server = await startLocalServer({ plugins: [pluginWith({ entry: join(folder, 'page.html') })] });
  const response = await fetch(`${server.httpUrl}/views/viewing/page`);
  expect(await response.text()).toMatch(/^<!DOCTYPE html><script>.*parley.*<\/script>\n<p>Hello$/s);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy.split('; ')).toEqual(
    expect.arrayContaining([
      'sandbox allow-scripts',
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'self'",
    ]),
  );
  expect(policy).not.toContain('allow-same-origin');
  expect(response.headers.get('connection-allowlist')).toBe('()');
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  for (const path of ['viewing/other', 'other/page', 'viewing/..%2Fpage', 'viewing/__proto__'])
    expect((await fetch(`${server.httpUrl}/views/${path}`)).status).toBe(404);
});

test('[AGT4, PLG10, SEC3] the page of an MCP server has a policy with the origins that it declared, and nothing else that it wrote', async () => {
  const views: Record<string, View> = {};
  const server = await startLocalServer({
    plugins: [{ name: 'viewing', tools: [], views }],
    allowedOrigins: ['https://parley.example.org'],
  });
  const app = {
    server: 'charts',
    connects: ['https://api.example.org', 'wss://live.example.org', '*', "https://x.example; script-src 'unsafe-eval'"],
    loads: ['https://cdn.example.org', "'self'", 'data:', 'https://parley.example.org'],
  };
  views.added = { html: '<p>Later', app };
  views.plain = { html: '<p>', app: { ...app, connects: [], loads: [] } };
  const get = async (name: string) => (await fetch(`${server.httpUrl}/views/viewing/${name}`)).headers;
  const policy = (headers: Headers) => headers.get('content-security-policy')?.split('; ').slice(0, -1);
  const added = await get('added');
  expect(policy(added)).toEqual([
    "default-src 'none'",
    'sandbox allow-scripts',
    "script-src 'unsafe-inline' https://cdn.example.org",
    "style-src 'unsafe-inline' https://cdn.example.org",
    'img-src data: blob: https://cdn.example.org',
    'font-src data: https://cdn.example.org',
    'media-src data: blob: https://cdn.example.org',
    'connect-src https://api.example.org wss://live.example.org',
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  expect(added.get('connection-allowlist')).toBe(
    '("https://api.example.org" "https://live.example.org" "https://cdn.example.org")',
  );
  const asPage = { headers: { 'sec-fetch-dest': 'document' } };
  expect((await fetch(`${server.httpUrl}/views/viewing/added`, asPage)).status).toBe(404); // in a tab it could pass for ours
  const plain = await get('plain');
  expect(policy(plain)).not.toContainEqual(expect.stringContaining('https:'));
  expect(plain.get('connection-allowlist')).toBe('()');
});

test.each<[string, View, string?]>([
  ['needs an "entry" or "html"', {}],
  ['needs an "entry" or "html"', { entry: '/a', html: 'b' }],
  ['could not be read: ENOENT', { entry: '/nowhere/page.html' }],
  ['there is no "hieght". Did you mean "height"?', { html: '', hieght: 3 } as View],
  ['its "height" must be a number of pixels from 40 to 640', { html: '', height: 5000 }],
  ['its "app" must be { server: a string', { html: '', app: { server: 'x' } } as unknown as View],
  ['is longer than 1048576 characters', { html: 'x'.repeat(1024 * 1024 + 1) }],
  ['a view with the invalid name "a/b"', { html: '' }, 'a/b'],
])('[PLG10, PLG4] an invalid view is reported at the start: %s', async (words, view, name) => {
  await expect(async () => new LocalServer({ plugins: [pluginWith(view, name)] }).start()).rejects.toThrow(words);
});
