import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ParleyProcess, type PersonTab, startParley } from '@parleyhq/client/process';
import { type SentBody, say } from '@parleyhq/plugin-anthropic/testing';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { useClaudeCode } from './claude-code.ts';
import { call, makeFolder } from './claude-server.ts';

const claude = useClaudeCode();

let server: ParleyProcess;
let person: PersonTab;
beforeEach(async () => {
  const config = join(makeFolder(), 'policies.config.json');
  await writeFile(config, JSON.stringify({ policies: [{ tool: 'Bash(*deploy*)', effect: 'ask' }] }));
  server = await startParley({ token: 'a-token-for-this-test', args: ['--config', config] });
  onTestFinished(() => server.stop());
  person = await server.tab();
  const settings = ['--settings', join(claude.home, '.claude/settings.json')];
  await server.run('connect', 'claude', '--url', server.url, '--yes', ...settings);
});

const bash = (command: string) => call('Bash', { command, description: 'Go on' });
const classifier = (body: SentBody) => /security monitor for autonomous/.test(JSON.stringify(body.system ?? ''));
const refused = { content: [say('<severity>90</severity><category>Irreversible Local Destruction</category>')] };
const passed = { content: [say('<severity>10</severity>')] };

/** The calls in a conversation, as the model sees them. */
const callsIn = ({ messages }: SentBody) =>
  messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_use');

/** The session that stands for Claude Code's. */
async function session() {
  const find = () => person.client.state.sessions.find(({ channel }) => channel?.name.startsWith('claude:'));
  return server.join((await vi.waitUntil(find, { timeout: 60_000 })).id);
}

test.each([
  ['default', ['touch made.txt', 'Write', 'rm', 'echo deploy']],
  ['acceptEdits', ['rm', 'echo deploy']],
  ['plan', ['Write', 'echo deploy']],
  ['auto', ['Auto mode refused', 'echo deploy']],
])('[ACP4] in the mode %s the real Claude Code asks people about %j', async (mode, cards) => {
  const precious = join(makeFolder(), 'precious');
  await writeFile(precious, 'mine');
  const calls = [
    bash('touch made.txt'),
    call('Write', { file_path: join(claude.home, 'written.txt'), content: 'written' }),
    bash(`rm -rf ${precious}`),
    bash('echo deploy > deployed.txt'),
  ];
  const terminal = await claude.open(
    (body) => {
      const isLoss = mode === 'auto' && JSON.stringify(body.messages).includes('rm -rf');
      if (classifier(body)) return isLoss ? refused : passed;
      return { content: [calls[callsIn(body).length] ?? say('Done.')] };
    },
    '--permission-mode',
    mode,
  );
  const tab = await session();
  for (const card of cards) {
    const prompt = await tab.prompt();
    expect(prompt.title).toContain(card);
    await tab.answer(prompt, { action: prompt.toolName === 'claude_refused' ? 'deny' : 'approve' });
  }
  await terminal.shows(/Done\./);
  expect(tab.events('interaction_request')).toHaveLength(cards.length);
  expect(await claude.files()).toContain('deployed.txt');
  expect(existsSync(precious)).toBe(mode === 'auto');
});

/** An MCP server whose one tool asks for a colour, and returns the answer. */
const asking = `
import { createInterface } from 'node:readline';
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const properties = { colour: { type: 'string', enum: ['red', 'blue'] } };
let call;
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'initialize')
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'paint', version: '1' } } });
  else if (method === 'tools/list')
    send({ id, result: { tools: [{ name: 'pick', description: 'Pick a colour', inputSchema: { type: 'object', properties: {} } }] } });
  else if (method === 'tools/call') {
    call = id;
    send({ id: 'q', method: 'elicitation/create', params: { message: 'Which colour?', requestedSchema: { type: 'object', properties } } });
  } else if (id === 'q') send({ id: call, result: { content: [{ type: 'text', text: 'picked ' + JSON.stringify(result) }] } });
});`;

test('[ACP4] what an MCP server of the real Claude Code asks is a form, also without a terminal', async () => {
  const program = join(claude.home, 'paint.mjs');
  await writeFile(program, asking);
  const servers = JSON.stringify({ mcpServers: { paint: { command: process.execPath, args: [program] } } });
  const flags = ['--mcp-config', servers, '--allowedTools', 'mcp__paint__pick'];
  const running = claude.run([{ content: [call('mcp__paint__pick', {})] }], ...flags);
  const tab = await session();
  const prompt = await tab.prompt();
  expect(prompt).toMatchObject({ interactionType: 'input', title: 'The MCP server “paint” asks' });
  await tab.answer(prompt, { action: 'submit', input: { colour: 'blue' } });
  expect(await running).toContain('Done.');
  expect(claude.sent).toMatch(/picked.*accept.*blue/);
});
