import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { codex } from './codex-config.ts';

const path = '/codex/config.toml';
const door = { url: 'http://127.0.0.1:7420', token: 'parley_a' };
const read = (text: string | undefined) => codex.read({ path, text });
const connect = (text: string, token = 'parley_a') => read(text).connect({ ...door, token });

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
];

test.each(files)('[ASK7] what is added to a file with %s is removed exactly', (_, text) => {
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
  expect(read(connected).disconnect()).toBe(text);
});

test('[ASK7] another token or address leaves the hook where it is, and trusted', () => {
  const state = `\n[hooks.state."${path}:permission_request:0:0"]\ntrusted_hash = "sha256:1"\n`;
  const connected = `${connect('')}${state}`;
  const moved = connect(connected, 'parley_b');
  expect(moved).toContain(state);
  expect(read(moved).tokens).toEqual(['parley_b']);
  expect(read(moved).disconnect().trim()).toBe('');
});

test('[ASK7] what Codex and people write between and into our tables stays', () => {
  const others = '[hooks.state."/else/config.toml:permission_request:0:0"]\ntrusted_hash = "sha256:2"\n';
  const [server = '', ...hook] = connect('model = "gpt-5"\n').split('\n\n[[hooks');
  const between = `${server}\n\n[notice]\nseen = true\n\n[[hooks${hook.join('\n\n[[hooks')}\n${others}\n${ownHook}`;
  const left = read(between).disconnect();
  expect(left).toBe(`model = "gpt-5"\n\n[notice]\nseen = true\n\n${others}\n${ownHook}`);
});

test('[ASK7] another program’s hook in our group stays', () => {
  const mixed = `${connect('')}\n[[hooks.PermissionRequest.hooks]]\ntype = "command"\ncommand = "beep"\n`;
  expect(parse(read(mixed).disconnect())).toEqual({
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

test('[ASK7] settings on one line with others cannot be removed alone', () => {
  const { mcp_servers: servers, hooks } = parse(connect(''));
  const inline = `mcp_servers = { docs = { command = "docs" }, parley = ${toInline((servers as { parley: object }).parley)} }\n`;
  expect(() => read(inline).disconnect()).toThrow(/cannot be changed/);
  expect(() => read(`hooks = ${toInline(hooks)}\n`).disconnect()).toThrow(/cannot be changed/);
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
