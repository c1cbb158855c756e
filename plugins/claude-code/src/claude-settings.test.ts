import fc from 'fast-check';
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
  ['nothing', '{}\n'],
  ['nothing on two lines', '{\r\n}\r\n'],
  ['nothing and no newline', '{ }'],
  ['blanks in an empty object of hooks', '{"hooks":{\n  }}'],
  ['a blank line in an empty object of hooks', '{\n  "hooks": {\n\n  }\n}\n'],
  ['blanks in an empty list', '{\n  "hooks": {\n    "Stop": [ ]\n  }\n}\n'],
  ['an empty list of one event among others', '{"hooks":{"Stop":[{"hooks":[]}],"PreToolUse":[],"PreCompact":[]}}'],
])('[ASK7] a file with %s is the same again afterwards, also if it was connected twice', async (_, text) => {
  const connected = read(text).connect(door);
  expect(await read(connected).disconnect()).toBe(text);
  expect(read(connected).connect(door)).toBe(connected);
  const moved = read(connected).connect({ ...door, token: 'parley_b' });
  expect(await read(moved).disconnect()).toBe(text);
});

const blanks = fc.constantFrom('', ' ', '\n', '\r\n', '\t', '\n    ', '\r\n  ');
/** A list in brackets, with blanks anywhere. */
const listOf = (item: fc.Arbitrary<string>, [open, close]: string) =>
  fc
    .tuple(fc.array(fc.tuple(blanks, item, blanks), { maxLength: 3 }), blanks)
    .map(([items, blank]) => `${open}${items.map((parts) => parts.join('')).join(',') || blank}${close}`);
const handler = fc.constantFrom(
  ...['{"type":"command","command":"a\\u00e9 b","timeout":1.0}', '{}', 'null'],
  '{ "type" : "http", "url": "http://a/hooks/claude", "headers": {"Authorization":"Bearer theirs"} }',
);
const group = fc.oneof(
  listOf(handler, '[]').map((hooks) => `{"matcher": "*", "hooks":${hooks}}`),
  fc.constantFrom('{}', 'null', '[]', '{"matcher":"Bash"}'),
);
const event = fc
  .tuple(fc.constantFrom('PermissionRequest', 'Elicitation', 'Stop', 'SessionEnd', 'Other'), listOf(group, '[]'))
  .map(([name, groups]) => `"${name}": ${groups}`);
const member = fc.oneof(
  fc.constantFrom('"n": 12345678901234567890', '"e":1e400', '"\\u0068x" : [ 1,2 ]'),
  listOf(event, '{}').map((hooks) => `"hooks":${hooks}`),
);

test('[ASK7, ACP4] any file is the same again afterwards, also if it was connected twice', async () => {
  const isSame = async (text: string, isTwice: boolean) => {
    fc.pre(isWritable(text));
    const connected = read(isTwice ? read(text).connect({ ...door, token: 'parley_b' }) : text).connect(door);
    expect(await read(connected).disconnect()).toBe(text);
  };
  await fc.assert(fc.asyncProperty(listOf(member, '{}'), fc.boolean(), isSame), { numRuns: 500 });
});

/** Whether no member occurs twice: such a file is left as it is. */
function isWritable(text: string): boolean {
  try {
    read(text).connect(door);
    return true;
  } catch {
    return false;
  }
}

test('[ASK7] a file that connect made is to be deleted, unless something else is in it', async () => {
  const made = read(read(undefined).connect({ ...door, token: 'parley_b' })).connect(door);
  expect(await read(made).disconnect()).toBeUndefined();
  expect(await read(made.replace('{', '{"model":"opus",')).disconnect()).toContain('opus');
  expect(await read(undefined).disconnect()).toBeUndefined();
});

test('[ASK7] a file that an earlier release connected has no hooks afterwards', async () => {
  const { hooks } = JSON.parse(read('{"a":1}').connect(door)) as { hooks: object };
  const [[event, groups] = ['', []]] = Object.entries(hooks);
  expect(await read(JSON.stringify({ a: 1, hooks: { [event]: groups } })).disconnect()).toBe('{"a":1}');
});
