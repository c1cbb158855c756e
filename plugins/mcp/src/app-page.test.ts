import { expect, test } from 'vitest';
import { type AppPage, appType, namePage, readAppPage, readToolUi } from './app-page.ts';

const page = { mimeType: appType, text: '<p>Hello' };
const read = (content: object) => {
  const faults: string[] = [];
  return { page: readAppPage([content], (words) => faults.push(words)), faults };
};

test('[AGT4] a tool names its page in `_meta`, in the current or the older form', () => {
  const uri = 'ui://charts/view.html';
  expect(readToolUi({ ui: { resourceUri: uri } })).toEqual({ isForModels: true, uri });
  expect(readToolUi({ 'ui/resourceUri': uri })).toEqual({ isForModels: true, uri });
  for (const odd of ['https://example.org', 'ui://', `ui://${'x'.repeat(500)}`, 7, null, {}])
    expect(readToolUi({ ui: { resourceUri: odd } })).toEqual({ isForModels: true });
  for (const odd of [undefined, null, 'ui', [], { ui: 'ui://x' }])
    expect(readToolUi(odd)).toEqual({ isForModels: true });
});

test('[AGT4] a tool for pages alone is not for models', () => {
  expect(readToolUi({ ui: { visibility: ['app'] } }).isForModels).toBe(false);
  expect(readToolUi({ ui: { visibility: ['app', 'model'] } }).isForModels).toBe(true);
  expect(readToolUi({ ui: { visibility: 'app' } }).isForModels).toBe(true);
});

test.each<[string, object, string]>([
  ['another type', { ...page, mimeType: 'text/html' }, `it is not of the type ${appType}`],
  ['no type', { text: '<p>' }, `it is not of the type ${appType}`],
  ['nothing', { ...page, text: ' ' }, 'it is empty'],
  ['bytes that are not there', { mimeType: appType }, 'it is empty'],
  ['too much', { ...page, text: 'x'.repeat(1024 * 1024 + 1) }, 'it is longer than 1048576 characters'],
])('[AGT4] a page that cannot be shown is refused with the reason: %s', (_, content, why) => {
  expect(read(content).page).toBe(why);
});

test('[AGT4] a page is text or bytes, and its type may be written in other ways', () => {
  for (const mimeType of [appType, 'text/html; profile=mcp-app', 'Text/HTML;charset=utf-8; profile="mcp-app"'])
    expect(read({ ...page, mimeType }).page).toMatchObject({ html: '<p>Hello', connects: [], loads: [] });
  expect(read({ mimeType: appType, blob: Buffer.from('<p>ü').toString('base64') }).page).toMatchObject({
    html: '<p>ü',
  });
});

test('[AGT4] a page may use the origins that it declares; others are left out and named', () => {
  const csp = {
    connectDomains: ['https://api.example.org', 'wss://live.example.org', '*', 'https://x.example; default-src *'],
    resourceDomains: ['https://cdn.example.org', 'wss://live.example.org', 7],
    frameDomains: ['https://frames.example.org'],
    baseUriDomains: ['https://base.example.org'],
  };
  const { page: taken, faults } = read({ ...page, _meta: { ui: { csp } } });
  expect(taken).toEqual({
    html: '<p>Hello',
    connects: ['https://api.example.org', 'wss://live.example.org'],
    loads: ['https://cdn.example.org'],
  });
  expect(faults).toHaveLength(4);
  for (const odd of [null, 'x', [], { connectDomains: 'https://api.example.org' }, { connectDomains: { length: 9 } }])
    expect(read({ ...page, _meta: { ui: { csp: odd } } }).page).toMatchObject({ connects: [], loads: [] });
});

test('[AGT4] people can read the list of origins: a page has at most 16', () => {
  const many = Array.from({ length: 5000 }, (_, index) => `https://a${index}.example.org`);
  const { page: taken, faults } = read({
    ...page,
    _meta: { ui: { csp: { connectDomains: many, resourceDomains: many } } },
  });
  const { connects, loads } = taken as AppPage;
  expect(connects.length + loads.length).toBe(16);
  expect(faults.length).toBeLessThan(100);
});

test('[AGT4, DUR5] another text, another server or other origins have another name', () => {
  const first = { html: '<p>', connects: ['https://a.example'], loads: [] };
  const names = [
    namePage('a', first),
    namePage('b', first),
    namePage('a', { ...first, html: '<p> ' }),
    namePage('a', { ...first, connects: [], loads: ['https://a.example'] }),
  ];
  expect(new Set(names).size).toBe(4);
  for (const name of names) expect(name).toMatch(/^[A-Za-z][\w-]{0,63}$/);
});
