import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type ParleyProcess, type PersonTab, startParley } from '@parleyhq/client/process';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { FakeAppServer } from './fake-app-server.ts';
import { Attachment, makeFolder, openPrompt, useFolder } from './live-stage.ts';

const timeout = 60_000;
const home = makeFolder();
const settings = join(home, 'config.toml');
mkdirSync(join(home, 'app-server-control'));

const codex = new FakeAppServer(join(home, 'app-server-control', 'app-server-control.sock'));
let server: ParleyProcess;
let attachment: Attachment;
let tab: PersonTab;
let thread = 't-0';

/** An asker's token, which may ask and nothing else. */
let token: string;

const flags = () => ['--settings', settings, '--url', server.url, '--data-dir', server.dataDir, '--token', token];

beforeAll(async () => {
  server = await startParley({ token: 'a token of the owner' });
  const { stdout } = await server.run('token', 'create', '--role', 'asker', '--name', 'Codex');
  token = /parley_\S+/.exec(stdout)?.[0] ?? stdout;
  attachment = new Attachment(server, flags());
  await attachment.said(/No app server of Codex listens.*codex app-server daemon start/);
  await codex.listen();
  await attachment.said(/Attached to Codex/);
}, timeout);
beforeEach(async ({ task }) => {
  tab = await server.tab();
  thread = `t-${task.id.replaceAll(/\W/g, '-')}`;
  codex.begin(thread);
});
afterEach(() => {
  codex.answers.length = 0;
});
afterAll(async () => {
  await attachment.end();
  await codex.kill();
  await server.stop();
  rmSync(home, { recursive: true, force: true });
});

const amendment = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['npm', 'test'] } };

test('[ACP5] a command is asked in the tabs with its folder, and the tab’s answer is the one that Codex gets', {
  timeout,
}, async () => {
  const id = codex.askCommand(thread, 'touch a.txt');
  const { person, prompt } = await openPrompt(server, tab, 'touch a.txt');
  expect(prompt).toMatchObject({
    toolName: 'codex_approval',
    interactionType: 'approval',
    title: 'Run touch a.txt',
    subject: { kind: 'command', text: 'touch a.txt\n# in /projects/shop' },
    prompt: expect.stringContaining('It has to run.'),
    approvalScopes: ['once', 'session'],
  });
  expect(person.session.state.session).toMatchObject({ title: 'shop' });
  await person.answer(prompt, { action: 'approve' });
  expect(await codex.answer(id)).toEqual({ decision: 'accept' });
  expect(codex.answers).toHaveLength(1);
  expect(codex.faults).toEqual([]);
});

test('[ACP5] the terminal answers first: the card closes and says so, and a tab’s answer is too late', {
  timeout,
}, async () => {
  const id = codex.askCommand(thread, 'touch b.txt');
  const { person, prompt } = await openPrompt(server, tab, 'touch b.txt');
  codex.resolve(thread, id);
  const { payload } = await person.event('interaction_closed');
  expect(payload).toMatchObject({ reason: 'withdrawn', note: 'Answered in the terminal' });
  await expect(person.answer(prompt, { action: 'approve' })).rejects.toMatchObject({ code: 'closed' });
  expect(codex.answers).toEqual([]);
});

test('[ACP5] a yes for the session is Codex’s acceptForSession, also if Codex asks the same again', {
  timeout,
}, async () => {
  const id = codex.askCommand(thread, 'npm run build');
  const { person, prompt } = await openPrompt(server, tab, 'npm run build');
  await person.answer(prompt, { action: 'approve', approvalScope: 'session' });
  expect(await codex.answer(id)).toEqual({ decision: 'acceptForSession' });
  expect(await codex.answer(codex.askCommand(thread, 'npm run build'))).toEqual({ decision: 'acceptForSession' });
});

test.each([
  ['deny', { decision: 'decline' }],
  ['cancel', { decision: 'cancel' }],
] as const)('[ACP5] a person’s %s is not another no than the card says', { timeout }, async (action, result) => {
  const id = codex.askCommand(thread, `rm ${action}`);
  const { person, prompt } = await openPrompt(server, tab, `rm ${action}`);
  expect(prompt.prompt).toMatch(
    /“Deny” declines the call, and Codex’s turn goes on. Cancelling the question.*ends the turn/,
  );
  await person.answer(prompt, { action });
  expect(await codex.answer(id)).toEqual(result);
});

test('[ACP5, APR7] an amendment is a rule in its own words, and choosing it answers with exactly that amendment', {
  timeout,
}, async () => {
  const availableDecisions = ['accept', amendment, 'cancel'];
  const id = codex.askCommand(thread, 'npm test', { availableDecisions });
  const { person, prompt } = await openPrompt(server, tab, 'npm test');
  const [rule] = prompt.rules ?? [];
  expect(rule?.label).toBe('every command that begins with `npm test`, kept in Codex’s own rules for all sessions');
  await person.answer(prompt, { action: 'approve', approvalScope: 'always', ruleId: String(rule?.id) });
  expect(await codex.answer(id)).toEqual({ decision: amendment });
});

test('[ACP5] a change of files is asked with its diff, found in the turns of a session that is joined late', {
  timeout,
}, async () => {
  const changes = [{ path: '/projects/shop/late.txt', kind: { type: 'add' }, diff: 'hello\n' }];
  codex.dropConnections();
  codex.startItem(thread, { type: 'fileChange', id: 'call-1', changes, status: 'inProgress' });
  const id = codex.ask(thread, 'item/fileChange/requestApproval', { itemId: 'call-1', reason: null, grantRoot: null });
  const { person, prompt } = await openPrompt(server, tab, 'late.txt');
  expect(prompt.subject).toMatchObject({ kind: 'diff', text: expect.stringContaining('+hello') });
  await person.answer(prompt, { action: 'approve' });
  expect(await codex.answer(id)).toEqual({ decision: 'accept' });
});

test('[ACP5] a change that is not known can be declined, and not allowed', { timeout }, async () => {
  const id = codex.ask(thread, 'item/fileChange/requestApproval', { itemId: 'call-2', reason: 'Unseen' });
  const { person, prompt } = await openPrompt(server, tab, 'Change files');
  expect(prompt.interactionType).toBe('input');
  expect(JSON.stringify(prompt.inputSchema)).not.toMatch(/accept|Allow/);
  await person.submit(prompt, { choice: 'decline' });
  expect(await codex.answer(id)).toEqual({ decision: 'decline' });
});

test('[ACP5] permissions are listed, and what is granted is what was asked', { timeout }, async () => {
  const permissions = { network: { enabled: true }, fileSystem: null };
  const id = codex.ask(thread, 'item/permissions/requestApproval', {
    itemId: 'call-3',
    cwd: '/projects/shop',
    permissions,
  });
  const { person, prompt } = await openPrompt(server, tab, 'Get more permissions');
  expect(prompt.subject?.text).toBe('Network access');
  await person.answer(prompt, { action: 'approve' });
  expect(await codex.answer(id)).toEqual({ permissions: { network: { enabled: true } }, scope: 'turn' });
});

test('[ACP5, INT17] questions are a form; a secret reaches Codex and no log', { timeout }, async () => {
  const options = [
    { label: 'Red', description: 'warm' },
    { label: 'Green', description: 'calm' },
  ];
  const id = codex.ask(thread, 'item/tool/requestUserInput', {
    itemId: 'call-4',
    isBlocking: true,
    questions: [
      { id: 'colour', header: 'Colour', question: 'Which colour?', isOther: true, isSecret: false, options },
      { id: 'key', header: 'Key', question: 'Which key?', isOther: false, isSecret: true, options: null },
    ],
  });
  const { person, prompt } = await openPrompt(server, tab, 'Codex asks 2 questions');
  expect(prompt.inputSchema?.fields.map(({ type }) => type)).toEqual(['radio', 'secret']);
  await person.submit(prompt, { answer1: { other: 'Blue' }, answer2: 'hunter2hunter2' });
  expect(await codex.answer(id)).toEqual({
    answers: { colour: { answers: ['Blue'] }, key: { answers: ['hunter2hunter2'] } },
  });
  await person.event('tool_result');
  expect(JSON.stringify(person.events())).not.toContain('hunter2');
});

test('[ACP5] an elicitation of an MCP server is a form', { timeout }, async () => {
  const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const elicitation = { serverName: 'docs', mode: 'form', message: 'Who?', requestedSchema, _meta: null };
  const id = codex.ask(thread, 'mcpServer/elicitation/request', elicitation);
  const { person, prompt } = await openPrompt(server, tab, 'The MCP server docs asks');
  await person.submit(prompt, { name: 'Ada' });
  expect(await codex.answer(id)).toEqual({ action: 'accept', content: { name: 'Ada' }, _meta: null });
});

test('[ACP5] what is not understood gets no answer, and the next question does', { timeout }, async () => {
  codex.ask(thread, 'item/tool/call', { tool: 'x' });
  codex.askCommand(thread, 'odd', { kind: 'humanCommand' });
  const id = codex.askCommand(thread, 'known');
  const { person, prompt } = await openPrompt(server, tab, 'known');
  await person.answer(prompt, { action: 'approve' });
  await codex.answer(id);
  expect(codex.answers.map((each) => each.id)).toEqual([id]);
  await attachment.said(/people cannot be shown it here: item\/tool\/call/);
});

test('[ACP5] a lost connection: the card stays one, and an answer from meanwhile is sent', { timeout }, async () => {
  const id = codex.askCommand(thread, 'sleep 1');
  const { person, prompt } = await openPrompt(server, tab, 'sleep 1');
  codex.dropConnections();
  await person.answer(prompt, { action: 'approve' });
  expect(await codex.answer(id)).toEqual({ decision: 'accept' });
  expect(person.events('interaction_request')).toHaveLength(1);
});

test('[ACP5] the server is killed and started again: it is asked anew, and Codex gets one answer', {
  timeout,
}, async () => {
  const id = codex.askCommand(thread, 'make all');
  await openPrompt(server, tab, 'make all');
  await server.kill();
  await attachment.said(/Questions are asked in Codex’s terminal alone: No server answers/);
  await server.restart();
  const { person, prompt } = await openPrompt(server, await server.tab(), 'make all');
  expect(codex.answers).toEqual([]);
  await person.answer(prompt, { action: 'deny' });
  expect(await codex.answer(id)).toEqual({ decision: 'decline' });
});

test('[ACP5] the server is stopped and started again: it says why nobody is asked, and when people are asked again', {
  timeout,
}, async () => {
  const again = () => (attachment.stderr.match(/People are asked again/g) ?? []).length;
  const before = again();
  const id = codex.askCommand(thread, 'make most');
  await openPrompt(server, tab, 'make most');
  await server.kill('SIGTERM');
  await attachment.said(/Questions are asked in Codex’s terminal alone: The server has stopped waiting for the answer/);
  await server.restart();
  await attachment.said(/People are asked again/, before + 1);
  expect(attachment.stderr).not.toContain('decided right now');
  const { person, prompt } = await openPrompt(server, await server.tab(), 'make most');
  await person.answer(prompt, { action: 'deny' });
  expect(await codex.answer(id)).toEqual({ decision: 'decline' });
  expect(again()).toBe(before + 1);
});

test('[ACP5] with the token of a person who may not ask, it says so at its start', { timeout }, async () => {
  const { stdout } = await server.run('token', 'create', '--role', 'responder', '--name', 'Ann');
  const person = /parley_\S+/.exec(stdout)?.[0] ?? stdout;
  const socket = join(useFolder(), 'codex.sock');
  const attached = new Attachment(server, [...flags(), '--socket', `unix://${socket}`, '--token', person]);
  onTestFinished(() => void attached.end('SIGKILL'));
  await attached.said(/terminal alone: This is the token of a responder, and may not ask here.*PARLEY_ASK_TOKEN/);
  await attached.said(/No app server of Codex listens/);
  expect(attached.stderr).not.toContain('People are asked');
});

test('[ACP5] Codex is killed: the card closes, and the next app server is followed', { timeout }, async () => {
  codex.askCommand(thread, 'sleep 9');
  const { person } = await openPrompt(server, tab, 'sleep 9');
  await codex.kill();
  const { payload } = await person.event('interaction_closed');
  expect(payload).toMatchObject({ reason: 'withdrawn', note: 'Codex’s app server has ended.' });
  await codex.listen();
  codex.begin(thread);
  const id = codex.askCommand(thread, 'echo again');
  const opened = await openPrompt(server, tab, 'echo again');
  await opened.person.answer(opened.prompt, { action: 'approve' });
  expect(await codex.answer(id)).toEqual({ decision: 'accept' });
});

test('[ACP5] with a token that is refused, Codex gets no answer, and stderr says it once', { timeout }, async () => {
  const other = new FakeAppServer();
  await other.listen();
  onTestFinished(() => other.kill());
  const refused = new Attachment(server, [...flags(), '--token', 'wrong'.repeat(5), '--socket', other.address]);
  onTestFinished(() => void refused.end('SIGKILL'));
  await refused.said(/Attached to Codex/);
  for (const id of ['a', 'b']) {
    other.begin(id);
    other.askCommand(id, id);
    await other.followed(id);
  }
  expect(await refused.end()).toBe(0);
  expect(other.answers).toEqual([]);
  expect(refused.stderr.match(/terminal alone/g)).toHaveLength(1);
});

test('[ACP5] what listens, but does not answer as Codex does, is not attached to', { timeout }, async () => {
  const stranger = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => stranger.close());
  let count = 0;
  stranger.on('connection', (socket) => {
    count += 1;
    socket.close();
  });
  await once(stranger, 'listening');
  const { port } = stranger.address() as AddressInfo;
  const astray = new Attachment(server, [...flags(), '--socket', `ws://127.0.0.1:${port}`]);
  onTestFinished(() => void astray.end('SIGKILL'));
  await astray.said(/No app server of Codex listens/);
  await expect.poll(() => count).toBeGreaterThan(2);
  expect(await astray.end()).toBe(0);
  expect(astray.stderr).not.toContain('Attached');
  expect(astray.stderr.match(/No app server/g)).toHaveLength(1);
});

test('[ACP5] stopped, it takes its cards back and answers nothing', { timeout }, async () => {
  const other = new FakeAppServer(join(useFolder(), 'codex.sock'));
  await other.listen();
  onTestFinished(() => other.kill());
  other.begin('s');
  other.askCommand('s', 'stopped');
  const second = new Attachment(server, [...flags(), '--socket', `unix://${other.address}`]);
  const { person } = await openPrompt(server, tab, 'stopped');
  expect(await second.end()).toBe(0);
  const { payload } = await person.event('interaction_closed');
  expect(payload).toMatchObject({ reason: 'withdrawn', note: 'Parley no longer follows Codex.' });
  expect(other.answers).toEqual([]);
});

test('[ACP5] if the hook is connected, too, it says which of them is asked first', { timeout }, async () => {
  const file = join(useFolder(), 'config.toml');
  writeFileSync(
    file,
    '[mcp_servers.parley]\nurl = "http://127.0.0.1:1/mcp"\nbearer_token_env_var = "PARLEY_ASK_TOKEN"\n',
  );
  const both = new Attachment(server, [...flags(), '--settings', file]);
  await both.said(/Codex’s hook is connected as well: it asks first/);
  expect(await both.end()).toBe(0);
});

test('[ACP5] a Codex without an app server is named, and the hook stays', { timeout }, async () => {
  const folder = useFolder();
  const old = '#!/bin/sh\nif [ "$1" = --version ]; then echo codex-cli 0.1.0; else echo "Usage: codex"; fi\n';
  writeFileSync(join(folder, 'codex'), old, { mode: 0o755 });
  const env = { PATH: `${folder}:${process.env.PATH}` };
  const alone = new Attachment(server, [...flags(), '--socket', join(folder, 'none.sock')], env);
  expect(await alone.exited).toBe(1);
  expect(alone.stderr).toContain('codex-cli 0.1.0 has no app server to attach to.');
  expect(alone.stderr).toContain('parley connect codex');
});

test.each([
  ['another machine', ['--socket', 'ws://example.org:1'], /--socket: must be/],
  ['--print', ['--print'], /--print: does not go with --live/],
  ['an address of Parley that is not encrypted', ['--url', 'http://example.org'], /--url: must be/],
])('[ACP5] %s is wrong usage', { timeout }, async (_, words, message) => {
  const wrong = new Attachment(server, [...flags(), ...words]);
  expect(await wrong.exited).toBe(2);
  expect(wrong.stderr).toMatch(message);
});
