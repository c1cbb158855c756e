import fc from 'fast-check';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { CodexConfig, codex, makeCodex } from './codex-config.ts';

const path = '/codex/config.toml';
const door = { url: 'http://127.0.0.1:7420', token: 'parley_a' };
const read = (text: string | undefined) => codex.read({ path, text });
const connect = (text: string | undefined, token = 'parley_a') => read(text).connect({ ...door, token });

const ownHook = `[[hooks.PermissionRequest]]
matcher = "^Bash$"   # mine
[[hooks.PermissionRequest.hooks]]
type = "command"
command = '''
[not.a.header]
echo'''
`;

const files: [string, string][] = [
  ['nothing', ''],
  ['a comment', '# mine\n'],
  ['settings', 'model = "gpt-5"   # the best\n\n[projects."/a]b"]\ntrust_level = "trusted"\n# the end\n'],
  ['hooks and servers', `[mcp_servers.docs]\ncommand = "docs"\nargs = [\n  "[a]",\n]\n\n${ownHook}\n[hooks.state]\n`],
  ['lines as on Windows', 'model = "gpt-5"\r\n[features]\r\nhooks = true\r\n'],
  ['no newline at its end', 'model = "gpt-5"'],
  ['a comment and no newline at its end', '[features]\nhooks = true\n# mine'],
  ['blank lines at its end', 'model = "gpt-5"\n\n\n'],
  ['blanks at its end', '# mine\n  '],
  ['nothing but blanks', ' \n\t'],
  ['hooks and lines as on Windows', `model = "gpt-5"\n\n# mine\n${ownHook}`.replaceAll('\n', '\r\n')],
  ['no newline at its end after lines as on Windows', '[features]\r\n\r\nhooks = true'],
];

test.each(files)('[ASK7] what is added to a file with %s is removed exactly', async (_, text) => {
  const connected = connect(text);
  const { mcp_servers: servers, hooks } = parse(connected) as Record<string, Record<string, unknown[]>>;
  expect(servers?.parley).toMatchObject({ url: 'http://127.0.0.1:7420/mcp' });
  expect(hooks?.PermissionRequest?.at(-1)).toMatchObject({
    matcher: '*',
    hooks: [{ type: 'mcp_tool', server: 'parley', input: { tool_input: expect.stringMatching(/^\$\{tool_input}$/) } }],
  });
  expect(connected.startsWith(text)).toBe(true);
  expect(read(connected).tokens).toEqual(['parley_a']);
  expect(connect(connected)).toBe(connected);
  expect(await read(connected).disconnect()).toBe(text);
  const moved = connect(connected, 'parley_b');
  expect(read(moved).tokens).toEqual(['parley_b']);
  expect(await read(moved).disconnect()).toBe(text);
});

const ourHook = { key: `${path}:permission_request:0:0`, hash: 'sha256:1', isEnabled: true };
const trustOf = ({ key, hash }: Pick<typeof ourHook, 'key' | 'hash'>) =>
  `\n[hooks.state."${key}"]\ntrusted_hash = "${hash}"\n`;
const asking = (hook?: typeof ourHook) => makeCodex(async () => hook).read;

test.each([undefined, '', '\n', ' \r\n'])('[ASK7] a file with the text %j is so afterwards', async (text) => {
  const connected = connect(connect(text), 'parley_b');
  expect(await read(connected).disconnect()).toBe(text);
  expect(await asking(ourHook)({ path, text: `${connected}${trustOf(ourHook)}` }).disconnect()).toBe(text);
  expect(await read(text).disconnect()).toBe(text);
});

const table = fc.constantFrom(
  ...['# a comment', '', '   ', '\t', '[features]\nhooks = true', '[hooks.state]', '[a]\nlist = [\n  [1],\n  [2]\n]'],
  ...['[[hooks.PermissionRequest]]\nmatcher = "z"', '[[hooks.PreToolUse]]\nmatcher = "*"', ownHook],
  "[profiles.\"a # b\"]\nmodel = '''\n[mcp_servers.parley]\n'''",
  '[tui]\nx = """\n[[hooks.PermissionRequest]]\n"""',
  '[ "mcp_servers" . other ]\nurl = "u"',
);
const settingsFile = fc
  .tuple(
    fc.constantFrom('', 'model = "gpt-5"', '# top'),
    fc.uniqueArray(table, { maxLength: 7 }),
    fc.constantFrom('\n', '\r\n'),
    fc.constantFrom('', '\n', '\n\n', '\n \n', '  ', '\r\n'),
  )
  .map(([top, tables, eol, end]) => [top, ...tables].join('\n').replaceAll('\n', eol) + end);

test('[ASK7, ACP5] any file is the same again afterwards, also if it was connected twice', async () => {
  const isSame = async (text: string, isTwice: boolean) => {
    const connected = connect(isTwice ? connect(text) : text, 'parley_b');
    expect(await read(connected).disconnect()).toBe(text);
  };
  await fc.assert(fc.asyncProperty(settingsFile, fc.boolean(), isSame), { numRuns: 200 });
});

test('[ASK7] another token or address leaves the hook where it is, and trusted', async () => {
  const state = trustOf(ourHook);
  const connected = `${connect('')}${state}`;
  const moved = connect(connected, 'parley_b');
  expect(moved).toContain(state);
  expect(read(moved).tokens).toEqual(['parley_b']);
  expect((await asking(ourHook)({ path, text: moved }).disconnect())?.trim()).toBe('');
});

test('[ASK7] a record of trust is removed only if it is that of our hook, by the hash that Codex reports', async () => {
  const state = trustOf({ ...ourHook, hash: 'sha256:of-another-hook' });
  const connected = connect(state);
  expect(connected.startsWith(state)).toBe(true);
  for (const hook of [ourHook, undefined])
    expect(await asking(hook)({ path, text: connected }).disconnect()).toBe(state);
  const trusted = new CodexConfig({ path, text: connected }).trust(ourHook);
  expect(trusted).toContain(trustOf(ourHook));
  expect(trusted).not.toContain('of-another-hook');
  expect(await asking(undefined)({ path, text: trusted }).disconnect()).toBe(trustOf(ourHook));
  expect(await asking(ourHook)({ path, text: trusted }).disconnect()).toBe('');
});

test('[ASK7] a hook that has moved is trusted at its new place, and its record at the old one goes', async () => {
  const old = { key: `${path}:permission_request:1:0`, hash: ourHook.hash };
  const moved = `${connect('')}${trustOf({ ...ourHook, hash: 'sha256:removed' })}${trustOf(old)}`;
  const trusted = new CodexConfig({ path, text: moved }).trust(ourHook);
  expect(parse(trusted)).toMatchObject({ hooks: { state: { [ourHook.key]: { trusted_hash: ourHook.hash } } } });
  expect(trusted).not.toContain(old.key);
  expect(await asking(ourHook)({ path, text: trusted }).disconnect()).toBe('');
});

test('[ASK7] whether Codex trusts the hook is judged by its hash, as far as Codex can be asked', async () => {
  const text = `${connect('')}${trustOf(ourHook)}`;
  const examine = (hook?: typeof ourHook, of = text) => makeCodex(async () => hook).examine?.({ path, text: of });
  expect(await examine(ourHook)).toEqual({ faults: [], notes: [] });
  const moved = { faults: [expect.stringContaining('parley connect codex --trust')], notes: [] };
  expect(await examine({ ...ourHook, hash: 'sha256:2' })).toEqual(moved);
  expect(await examine({ ...ourHook, key: `${path}:permission_request:1:0` })).toEqual(moved);
  const off = { faults: ['The hook is switched off in Codex: /hooks in Codex switches it on.'], notes: [] };
  expect(await examine({ ...ourHook, isEnabled: false })).toEqual(off);
  expect(await examine()).toEqual({ faults: [], notes: [expect.stringContaining('/hooks')] });
  expect(await examine(undefined, 'model = "gpt-5"\n')).toEqual({ faults: [], notes: [] });
  expect(await examine(undefined, connect(''))).toEqual({ faults: [], notes: [] }); // a fault already
});

test('[ASK7] a server of the same name that is a person’s own is not removed', async () => {
  for (const own of [
    '[mcp_servers.parley]\ncommand = "parley"\nargs = ["mcp"]\n',
    '[mcp_servers.parley]\nurl = "https://other.example.org/mcp"\n',
    `[mcp_servers.parley]\ncommand = "parley"\nargs = ["mcp"]\n\n${connect('').replace(/^[\s\S]*?\n\n/, '')}`,
  ])
    expect(await read(own).disconnect()).toBe(own);
});

test('[ASK7] a hook that is left without its server is removed', async () => {
  const alone = `model = "gpt-5"\n\n${connect('').replace(/^[\s\S]*?\n\n/, '')}`;
  expect(await read(alone).disconnect()).toBe('model = "gpt-5"\n');
});

test('[ASK7] what Codex and people write between and into our tables stays', async () => {
  const others = '[hooks.state."/else/config.toml:permission_request:0:0"]\ntrusted_hash = "sha256:2"\n';
  const [server = '', ...hook] = connect('model = "gpt-5"\n').split('\n\n[[hooks');
  const between = `${server}\n\n[notice]\nseen = true\n\n[[hooks${hook.join('\n\n[[hooks')}\n${others}\n${ownHook}`;
  const left = await read(between).disconnect();
  expect(left).toBe(`model = "gpt-5"\n\n[notice]\nseen = true\n\n${others}\n${ownHook}`);
});

test('[ASK7] another program’s hook in our group stays', async () => {
  const mixed = `${connect('')}\n[[hooks.PermissionRequest.hooks]]\ntype = "command"\ncommand = "beep"\n`;
  expect(parse(String(await read(mixed).disconnect()))).toEqual({
    hooks: { PermissionRequest: [{ matcher: '*', hooks: [{ type: 'command', command: 'beep' }] }] },
  });
});

test.each([
  ['another server of that name', '[mcp_servers.parley]\ncommand = "other"\n', /another MCP server/],
  ['servers on one line', 'mcp_servers = { docs = { command = "docs" } }\n', /cannot be changed/],
  ['hooks on one line', 'hooks = { PermissionRequest = [] }\n', /cannot be changed/],
])('[ASK7] %s cannot be added to', (_, text, words) => {
  expect(() => connect(text)).toThrow(words);
});

test('[ASK7] settings on one line with others cannot be removed alone', async () => {
  const { mcp_servers: servers, hooks } = parse(connect(''));
  const inline = `mcp_servers = { docs = { command = "docs" }, parley = ${toInline((servers as { parley: object }).parley)} }\n`;
  await expect(async () => read(inline).disconnect()).rejects.toThrow(/cannot be changed/);
  await expect(async () => read(`hooks = ${toInline(hooks)}\n`).disconnect()).rejects.toThrow(/cannot be changed/);
});

test.each(['model = ', 'mcp_servers = 1\n', 'hooks = []\n', '[hooks]\nPermissionRequest = {}\n'])(
  '[ASK7] %j is not a file that Codex could read',
  (text) => {
    expect(() => read(text)).toThrow(/could read: it was left as it is/);
  },
);

function toInline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toInline).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, part]) => `${key} = ${toInline(part)}`)
    .join(', ')} }`;
}

test('[ASK7] it says which server a connected file asks, and that the hook is not trusted yet', () => {
  expect(read('model = "gpt-5"\n')).toMatchObject({ urls: [], faults: [] });
  const connected = read(connect(''));
  expect(connected.urls).toEqual([door.url]);
  expect(connected.faults).toEqual([expect.stringContaining('/hooks')]);
});

test('[ASK7] it finds that the approval policy asks nobody', () => {
  const { faults, mode } = read('approval_policy = "never"\n');
  expect({ faults, mode }).toEqual({ faults: [expect.stringContaining('approval_policy')], mode: 'never' });
  expect(read('approval_policy = "on-request"\n')).toMatchObject({ faults: [], mode: 'on-request' });
});
