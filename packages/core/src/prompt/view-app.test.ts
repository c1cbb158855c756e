import { expect, test } from 'vitest';
import { connectSchemes, isWebOrigin, loadSchemes } from './view-app.ts';

test('[AGT4] a page of an MCP server may use origins on the web', () => {
  for (const origin of ['https://example.org', 'https://a-b.example.org:8443', 'https://xn--bcher-kva.example'])
    expect([origin, isWebOrigin(origin, loadSchemes)]).toEqual([origin, true]);
  expect(isWebOrigin('wss://live.example.org', connectSchemes)).toBe(true);
  expect(isWebOrigin('wss://live.example.org', loadSchemes)).toBe(false);
});

test.each([
  ['everything', ['*', 'https:', 'https://*', 'https://*.example.org', 'https://example.*']],
  ['another scheme', ['http://example.org', 'data:', 'blob:https://example.org', 'javascript:1', 'ws://example.org']],
  [
    'more than an origin',
    ['https://example.org/', 'https://example.org/a', 'https://example.org?', 'https://u@example.org'],
  ],
  [
    'another way to write it',
    ['https://example.org:443', 'HTTPS://example.org', 'https://EXAMPLE.org', 'https://bücher.example'],
  ],
  [
    'an end of its directive',
    ["https://example.org; script-src 'self'", 'https://a;b.example.org', 'https://a,b.example.org'],
  ],
  ['a keyword', ["'self'", "'unsafe-eval'", "https://'self'.example.org", "https://example.org 'self'"]],
  [
    'white space',
    [' https://example.org', 'https://example.org\n', 'https://exa\tmple.org', 'https://a.example.org https://b'],
  ],
  [
    'this machine or its network',
    [
      'https://localhost',
      'https://x.localhost',
      'https://127.0.0.1',
      'https://[::1]',
      'https://2130706433',
      'https://nas.local',
      'https://intranet',
    ],
  ],
  ['no text', [undefined, null, 1, {}, ['https://example.org'], '']],
])('[AGT4, SEC3] an MCP server cannot declare %s', (_, origins) => {
  for (const origin of origins) expect([origin, isWebOrigin(origin, connectSchemes)]).toEqual([origin, false]);
});
