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
