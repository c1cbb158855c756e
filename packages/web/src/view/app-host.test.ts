import { expect, test } from 'vitest';
import { hearApp, showInput } from './app-host.ts';

const around = { theme: 'dark', locale: 'de-CH' } as const;
const ask = (method: unknown, more: object = {}) => hearApp({ jsonrpc: '2.0', id: 1, method, ...more }, around);

test('[AGT4] a page gets to know its host, which offers it nothing to do', () => {
  expect(ask('ui/initialize').answer).toMatchObject({
    jsonrpc: '2.0',
    id: 1,
    result: {
      protocolVersion: '2026-01-26',
      hostCapabilities: {},
      hostContext: { ...around, displayMode: 'inline' },
    },
  });
  expect(ask('ping').answer).toMatchObject({ result: {} });
  expect(ask('ui/request-display-mode').answer).toMatchObject({ result: { mode: 'inline' } });
  expect(showInput({ a: 1 })).toMatchObject({ method: 'ui/notifications/tool-input', params: { arguments: { a: 1 } } });
});

test.each([
  'ui/open-link',
  'ui/message',
  'ui/update-model-context',
  'ui/download-file',
  'tools/call',
  'sampling/createMessage',
])('[AGT4, PLG10] a page is refused what would act for a person: %s', (method) => {
  expect(ask(method)).toEqual({
    answer: { jsonrpc: '2.0', id: 1, error: { code: -32000, message: expect.any(String) } },
  });
});

test.each(['resources/read', 'tools/list', 'ui/answer', 'constructor', '__proto__', 'toString', ''])(
  '[AGT4] other methods are unknown: %j',
  (method) => {
    expect(ask(method).answer).toMatchObject({ error: { code: -32601 } });
  },
);

test('[AGT4] notifications are never answered', () => {
  const note = (method: string, params?: unknown) => hearApp({ jsonrpc: '2.0', method, params }, around);
  expect(note('ui/notifications/initialized')).toEqual({ isReady: true });
  expect(note('ui/notifications/size-changed', { width: 1, height: 200 })).toEqual({ height: 200 });
  for (const params of [undefined, null, {}, { height: '9' }])
    expect(note('ui/notifications/size-changed', params)).toEqual({});
  for (const method of ['tools/call', 'ui/message', 'notifications/message'])
    expect(note(method, { height: 9 })).toEqual({});
});

test('[AGT4, PLG10] anything else is ignored', () => {
  const round: { self?: unknown } = {};
  round.self = round;
  for (const said of [null, 'ui/initialize', [], round, { type: 'propose', values: {} }, { id: 1, method: 'ping' }])
    expect(hearApp(said, around)).toEqual({});
  expect(hearApp({ jsonrpc: '2.0', id: 1, result: round }, around)).toEqual({});
});
