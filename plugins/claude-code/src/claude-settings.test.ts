import { expect, test } from 'vitest';
import { claudeCode } from './claude-settings.ts';

const read = (text: string | undefined) => claudeCode.read({ path: '/claude/settings.json', text });
const door = { url: 'http://127.0.0.1:7420', token: 'parley_a' };

test('[ASK7] it says which server a connected file asks, and what keeps it from asking', () => {
  expect(read(undefined)).toMatchObject({ urls: [], faults: [] });
  const silent = JSON.stringify({ disableAllHooks: true, permissions: { defaultMode: 'bypassPermissions' } });
  const connected = read(read(silent).connect(door));
  expect(connected.urls).toEqual([door.url]);
  expect(connected.faults).toEqual([
    expect.stringContaining('disableAllHooks'),
    expect.stringContaining('bypassPermissions'),
  ]);
  expect(connected.mode).toBe('bypassPermissions');
});

test('[ASK7] an administrator who allows only the hooks of one file silences all others', () => {
  const managed = JSON.stringify({ allowManagedHooksOnly: true });
  expect(read(managed).faults).toEqual([expect.stringContaining('allowManagedHooksOnly')]);
  expect(read(read(managed).connect(door)).faults).toEqual([]);
  expect(claudeCode.findOthers?.('/shop')).toEqual([
    '/shop/.claude/settings.json',
    '/shop/.claude/settings.local.json',
    expect.stringMatching(/managed-settings\.json$/),
  ]);
});

test.each([
  ['no hooks', '{"model":"opus"}'],
  ['an empty object of hooks', '{\n  "hooks": {},\n  "model": "opus"\n}\n'],
  ['empty lists of events', '{\n  "hooks": {\n    "Stop": [],\n    "PermissionRequest": []\n  }\n}'],
  ['an empty list of one event among others', '{"hooks":{"Stop":[{"hooks":[]}],"PreToolUse":[],"PreCompact":[]}}'],
])('[ASK7] a file with %s is the same again afterwards, also if it was connected twice', async (_, text) => {
  const connected = read(text).connect(door);
  expect(await read(connected).disconnect()).toBe(text);
  expect(read(connected).connect(door)).toBe(connected);
  const moved = read(connected).connect({ ...door, token: 'parley_b' });
  expect(await read(moved).disconnect()).toBe(text);
});

test('[ASK7] a file that an earlier release connected has no hooks afterwards', async () => {
  const { hooks } = JSON.parse(read('{"a":1}').connect(door)) as { hooks: object };
  const [[event, groups] = ['', []]] = Object.entries(hooks);
  expect(await read(JSON.stringify({ a: 1, hooks: { [event]: groups } })).disconnect()).toBe('{"a":1}');
});
