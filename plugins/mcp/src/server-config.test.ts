import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configSchema, findForeignConsents, readServers } from './server-config.ts';

const read = (config: object) => readServers(configSchema.parse(config));

test('[AGT4] claude_desktop_config.json is read as it is, and the settings take precedence', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'parley-test-')), 'claude_desktop_config.json');
  const mcpServers = {
    files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/tmp'] },
    github: { command: 'docker', args: ['run', '-i'], env: { GITHUB_TOKEN: 't' } },
    off: { command: 'x', disabled: true },
  };
  writeFileSync(file, JSON.stringify({ globalShortcut: 'Ctrl+Space', mcpServers }));
  const servers = read({ files: [file], mcpServers: { files: { url: 'https://files.example.org/mcp' } } });
  expect([...servers.keys()]).toEqual(['files', 'github']);
  expect(servers.get('files')).toEqual({ url: 'https://files.example.org/mcp' });
  expect(servers.get('github')).toMatchObject({ env: { GITHUB_TOKEN: 't' } });
});

test.each([
  [{ command: 'a', url: 'https://b.example' }, /needs a "command" or a "url"/],
  [{}, /needs a "command" or a "url"/],
  [{ url: 'file:///etc/passwd' }, /http or https/],
  [{ type: 'sse', url: 'https://b.example' }, /"sse" is not supported/],
  [
    { url: 'https://b.example', oauth: { clientId: 'c', clientSecret: 's' } },
    /goes only to the "issuer" that knows it/,
  ],
  [{ url: 'https://b.example', oauth: { clientMetadataUrl: 'http://c.example/p.json' } }, /must be an https address/],
  [{ url: 'https://b.example', oauth: { clientMetadataUrl: 'https://c.example' } }, /must have a path/],
])('[AGT4, PLG8] %j is rejected with a reason', (server, words) => {
  const { error } = configSchema.safeParse({ mcpServers: { x: server } });
  expect(error?.issues[0]?.message).toMatch(words);
});

test('[AGT4, PLG8] a missing file is named in the error', () => {
  expect(() => read({ files: ['/nowhere/mcp.json'] })).toThrow('"/nowhere/mcp.json" could not be read');
});

test('[APR3] settings of other hosts that let calls run without asking are found', () => {
  const [server] = read({ mcpServers: { x: { command: 'a', autoApprove: ['write'], alwaysAllow: [] } } }).values();
  expect(findForeignConsents(server!)).toEqual(['autoApprove', 'alwaysAllow']);
});

test('[AGT4] an entry of another host to which Parley cannot connect affects only itself', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'parley-test-')), 'mcp.json');
  const mcpServers = {
    good: { command: 'a', args: ['b'] },
    old: { type: 'sse', url: 'https://a.example' },
    off: { type: 'sse', url: 'https://a.example', disabled: true },
    numbers: { command: 'a', env: { PORT: 80 }, args: [1] },
    empty: {},
    list: [],
    nothing: null,
    '': { command: 'a' },
  };
  writeFileSync(file, JSON.stringify({ mcpServers }));
  const faults: string[] = [];
  const servers = readServers(configSchema.parse({ files: [file] }), (words) => faults.push(words));
  expect([...servers.keys()]).toEqual(['good']);
  expect(faults).toHaveLength(6);
  expect(faults[0]).toBe(
    `the MCP server "old" of "${file}" is left out: old.type: must be "stdio" or "http": "sse" is not supported`,
  );
});

test('[AGT4] disabled servers are not validated, and the settings can disable a server of a file', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'parley-test-')), 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: { mine: { command: 'a' }, yours: { command: 'b' } } }));
  const mcpServers = { off: { type: 'sse', disabled: true }, on: { command: 'a' }, yours: { disabled: true } };
  expect([...read({ files: [file], mcpServers }).keys()]).toEqual(['mine', 'on']);
});

test('[AGT4] a null of another host is an absent member, and a file without servers has none', () => {
  const [server] = read({ mcpServers: { x: { command: 'a', args: null, env: null, disabled: null } } }).values();
  expect(server).toEqual({ command: 'a' });
  const file = join(mkdtempSync(join(tmpdir(), 'parley-test-')), 'mcp.json');
  writeFileSync(file, JSON.stringify({ mcpServers: null }));
  expect(read({ files: [file] }).size).toBe(0);
});
