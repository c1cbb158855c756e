import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AgentCall, showDiff } from './agent-call.ts';
import { configSchema, readAgents } from './config.ts';
import { known } from './known-agents.ts';

test('[ACP1] later members of a call replace earlier ones, but empty ones do not', () => {
  const call = new AgentCall({ toolCallId: 'c', title: 'Edit', content: [{ type: 'diff', path: 'a' }] });
  call.merge({ content: [], rawInput: {}, title: 'Edit a' });
  expect(call.title).toBe('Edit a');
  expect(call.contents('diff')).toHaveLength(1);
  expect(call.isOver).toBe(false);
  call.merge({ status: 'failed', rawOutput: { code: 1 } });
  expect(call.isOver).toBe(true);
  expect(call.hasFailed).toBe(true);
});

test('[ACP1] an unknown kind is another one, and a call without a title has its name', () => {
  expect(new AgentCall({ kind: 'juggle', name: 'Juggle' })).toMatchObject({ kind: 'other', title: 'Juggle' });
});

test.each([
  ['a\nb\nc', 'a\nB\nc', '@@ -2,1 +2,1 @@\n-b\n+B'],
  ['a', 'a\nb', '@@ -2,0 +2,1 @@\n+b'],
  ['', 'x', '@@ -1,1 +1,1 @@\n-\n+x'],
])('[ACP1] a change from %j to %j has all of its lines', (oldText, newText, hunk) => {
  expect(showDiff({ path: 'f', oldText, newText })).toBe(`--- f\n+++ f\n${hunk}`);
});

test('[ACP1] a new file is a diff from nothing, and a path cannot add a line to it', () => {
  expect(showDiff({ path: 'f\n-x', oldText: null, newText: 'x' })).toBe(
    '--- /dev/null\n+++ f\\n-x\n@@ -1,0 +1,1 @@\n+x',
  );
});

test('[ACP1] the settings name agents with their commands, and known ones', () => {
  const config = configSchema.parse({ agents: { mine: { command: 'mine' } }, registry: ['gemini'] });
  expect([...readAgents(config)]).toMatchObject([
    ['mine', { command: 'mine', args: [] }],
    ['gemini', { command: 'gemini', args: ['--acp'], modes: { default: 'default' } }],
  ]);
  const placed = configSchema.parse({ registry: ['qwen', { name: 'opencode', cwd: '/shop' }] });
  expect([...readAgents(placed)]).toMatchObject([
    ['qwen', { command: 'qwen' }],
    ['opencode', { command: 'opencode', args: ['acp'], cwd: '/shop' }],
  ]);
  expect(() => configSchema.parse({ registry: [{ name: 'opencode', command: 'mine' }] })).toThrow();
  const twice = configSchema.parse({ agents: { gemini: { command: 'mine' } }, registry: ['gemini'] });
  expect(() => readAgents(twice)).toThrow('"gemini" is both');
});

test('[ACP1] OpenCode asks by the settings in docs/acp.md, with which Parley starts it', () => {
  const { permission } = JSON.parse(
    readFileSync(new URL('../../../docs/examples/opencode.json', import.meta.url), 'utf8'),
  );
  expect(JSON.parse(known.opencode.env.OPENCODE_CONFIG_CONTENT).permission).toMatchObject(permission);
});
