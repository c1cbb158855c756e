import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ParleyProcess, startParley } from '@parleyhq/client/process';
import type { InboxEntry } from '@parleyhq/core';
import { say } from '@parleyhq/plugin-anthropic/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { useClaudeCode } from './claude-code.ts';
import { call } from './claude-server.ts';

const claude = useClaudeCode();
let server: ParleyProcess;
beforeAll(async () => {
  server = await startParley();
});
afterAll(() => server.stop());

/** The flags that give Claude Code the server's tools and let it ask people without permission. */
async function connect(...more: string[]): Promise<string[]> {
  const file = join(claude.home, 'mcp.json');
  const parley = { type: 'http', url: `${server.url}/mcp` };
  await writeFile(file, JSON.stringify({ mcpServers: { parley } }));
  return ['--mcp-config', file, '--allowedTools', 'mcp__parley__ask_human', ...more];
}

/** The next open prompt, and a tab of its session. */
async function nextPrompt(command?: string) {
  const { client } = await server.tab();
  const find = ({ interaction: { subject } }: InboxEntry) => subject?.text === command;
  const { sessionId, interaction } = await vi.waitUntil(() => client.state.inbox.find(find), { timeout: 60_000 });
  return { tab: await server.join(sessionId), interaction };
}

const ask = () => ({ content: [call('mcp__parley__ask_human', { question: 'Which colour?' })] });
const goOn = { content: [say('Meanwhile I go on.')] };

test('[ASK6] a question goes to the background, and its answer begins a new turn, though the server was killed meanwhile', async () => {
  const terminal = await claude.open([ask(), goOn], ...(await connect()));
  const { tab, interaction } = await nextPrompt();
  await terminal.shows(/Meanwhile I go on/);
  await server.restart();
  await tab.answer(interaction, { action: 'submit', input: { answer: 'tulip blue' } });
  await terminal.shows(/Done\./);
  expect(claude.sent).toMatch(/<status>completed<.*tulip blue/);
});

test('[ASK4, ASK6] a question in the background is withdrawn', async () => {
  const terminal = await claude.open([ask(), goOn], ...(await connect()));
  const { tab, interaction } = await nextPrompt();
  await terminal.shows(/Meanwhile I go on/);
  const [, task] = /background as task (\w+)/.exec(claude.sent) ?? [];
  claude.api.script({ content: [call('TaskStop', { task_id: task })] });
  terminal.type('Never mind\r');
  const { payload } = await tab.event(
    'interaction_closed',
    (event) => event.payload.interactionId === interaction.interactionId,
  );
  expect(payload).toMatchObject({ reason: 'withdrawn', note: 'The caller cancelled it.' });
});

test('[ASK6] without a terminal it waits for the answer', async () => {
  const running = claude.run([ask()], ...(await connect()));
  const { tab, interaction } = await nextPrompt();
  await tab.answer(interaction, { action: 'submit', input: { answer: 'tulip red' } });
  expect(await running).toContain('Done.');
  expect(claude.sent).toContain('tulip red');
});

test('[ASK3, ASK6] its permission prompts are answered in a tab', async () => {
  const touch = (file: string) => ({ content: [call('Bash', { command: `touch ${file}`, description: 'Touch' })] });
  const flags = await connect('--permission-prompt-tool', 'mcp__parley__permission');
  const running = claude.run([touch('yes.txt'), touch('no.txt')], ...flags);
  const first = await nextPrompt('touch yes.txt');
  await first.tab.answer(first.interaction, { action: 'approve' });
  const next = await nextPrompt('touch no.txt');
  await next.tab.answer(next.interaction, { action: 'deny', reason: 'One is enough.' });
  expect(await running).toContain('Done.');
  expect(await claude.files()).toEqual(['yes.txt']);
  expect(claude.sent).toContain('One is enough.');
});
