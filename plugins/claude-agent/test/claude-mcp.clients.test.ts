import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { say } from '@parleyhq/server/testing';
import { expect, test } from 'vitest';
import type { Tab } from '../../../packages/server/test/support/tab.ts';
import { useServer } from '../../../packages/server/test/support/use-server.ts';
import { useClaudeCode } from './claude-code.ts';
import { call } from './claude-server.ts';

const claude = useClaudeCode();
const server = useServer();

/** The flags with which Claude Code has the server's tools, and asks nobody for leave to ask somebody. */
async function connect(...more: string[]): Promise<string[]> {
  const file = join(claude.home, 'mcp.json');
  const parley = { type: 'http', url: `${server.httpUrl}/mcp` };
  await writeFile(file, JSON.stringify({ mcpServers: { parley } }));
  return ['--mcp-config', file, '--allowedTools', 'mcp__parley__ask_human', ...more];
}

async function nextPrompt(tab: Tab, command?: string) {
  const frame = await tab.until(
    (each) => each.type === 'interaction_opened' && each.interaction.subject?.text === command,
  );
  return frame as Extract<typeof frame, { type: 'interaction_opened' }>;
}

const ask = () => ({ content: [call('mcp__parley__ask_human', { question: 'Which colour?' })] });
const goOn = { content: [say('Meanwhile I go on.')] };

test('[ASK6] a question goes to the background, and its answer begins a new turn, though the server was killed meanwhile', async () => {
  const before = await server.open();
  const terminal = await claude.open([ask(), goOn], ...(await connect()));
  const { sessionId, interaction } = await nextPrompt(before);
  await terminal.shows(/Meanwhile I go on/);
  await server.restart({ args: ['--no-auth', '--port', String(server.ready.port)] });
  const tab = await server.open();
  await tab.answer(sessionId, interaction, { action: 'submit', input: { answer: 'tulip blue' } });
  await terminal.shows(/Done\./);
  expect(claude.sent).toMatch(/<status>completed<.*tulip blue/);
});

test('[ASK4, ASK6] a question in the background is taken back', async () => {
  const tab = await server.open();
  const terminal = await claude.open([ask(), goOn], ...(await connect()));
  const { sessionId, interaction } = await nextPrompt(tab);
  await terminal.shows(/Meanwhile I go on/);
  const [, task] = /background as task (\w+)/.exec(claude.sent) ?? [];
  claude.api.script({ content: [call('TaskStop', { task_id: task })] });
  terminal.type('Never mind\r');
  await tab.follow(sessionId);
  const { payload } = await tab.event(
    sessionId,
    'interaction_closed',
    (event) => event.payload.interactionId === interaction.interactionId,
  );
  expect(payload).toMatchObject({ reason: 'withdrawn', note: 'The caller cancelled it.' });
});

test('[ASK6] without a terminal it waits for the answer', async () => {
  const tab = await server.open();
  const running = claude.run([ask()], ...(await connect()));
  const { sessionId, interaction } = await nextPrompt(tab);
  await tab.answer(sessionId, interaction, { action: 'submit', input: { answer: 'tulip red' } });
  expect(await running).toContain('Done.');
  expect(claude.sent).toContain('tulip red');
});

test('[ASK3, ASK6] its permission prompts are answered in a tab', async () => {
  const tab = await server.open();
  const touch = (file: string) => ({ content: [call('Bash', { command: `touch ${file}`, description: 'Touch' })] });
  const flags = await connect('--permission-prompt-tool', 'mcp__parley__permission');
  const running = claude.run([touch('yes.txt'), touch('no.txt')], ...flags);
  const { sessionId, interaction } = await nextPrompt(tab, 'touch yes.txt');
  await tab.answer(sessionId, interaction, { action: 'approve' });
  const next = await nextPrompt(tab, 'touch no.txt');
  await tab.answer(sessionId, next.interaction, { action: 'deny', reason: 'One is enough.' });
  expect(await running).toContain('Done.');
  expect(await claude.files()).toEqual(['yes.txt']);
  expect(claude.sent).toContain('One is enough.');
});
