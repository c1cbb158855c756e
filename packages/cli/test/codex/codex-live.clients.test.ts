import { type ChildProcess, spawn } from 'node:child_process';
import { appendFile, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ServerFrame, ServerFrameOf } from '@parleyhq/core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createToken, ParleyProcess } from '../../../server/test/support/command.ts';
import type { Tab } from '../../../server/test/support/tab.ts';
import { useServer } from '../../../server/test/support/use-server.ts';
import { CodexTerminal } from './codex-terminal.ts';
import { call, FakeResponsesApi, type Scripted } from './fake-responses-api.ts';

const server = useServer({ args: [] });
const docsServer = `
[mcp_servers.docs]
command = ${JSON.stringify(process.execPath)}
args = [${JSON.stringify(fileURLToPath(new URL('mcp-server.mjs', import.meta.url)))}]
`;
let api: FakeResponsesApi;
let codex: CodexTerminal;
let appServer: ChildProcess;
let attachment: ParleyProcess;
let tab: Tab;

/** Starts the app server that terminals of this Codex then use. */
function startAppServer(): ChildProcess {
  const env = { ...process.env, ...codex.environment };
  return spawn('codex', ['app-server', '--listen', 'unix://'], { env, stdio: 'ignore', detached: true });
}

/** Ends the app server with all its processes, as a power cut would. */
async function killAppServer(): Promise<void> {
  const exited = new Promise((resolve) => appServer.once('exit', resolve));
  process.kill(-(appServer.pid ?? 0), 'SIGKILL');
  await exited;
}

beforeAll(async () => {
  api = await FakeResponsesApi.start();
  codex = await CodexTerminal.make(api.url);
  await appendFile(codex.settings, docsServer);
  appServer = startAppServer();
  const { token } = await createToken(server.dataDir, '--role', 'asker', '--name', 'Codex live');
  const words = ['connect', 'codex', '--live', '--settings', codex.settings, '--url', server.httpUrl];
  attachment = new ParleyProcess([...words, '--token', token, '--data-dir', server.dataDir], {
    env: codex.environment,
  });
  await attachment.says('Attached to Codex');
});
afterAll(async () => {
  attachment.kill('SIGTERM');
  await attachment.end();
  await killAppServer();
  await codex.remove();
  await api.close();
});

beforeEach(async () => {
  tab = await server.open({ hello: { token: server.ready.token } });
});
afterEach(async () => {
  await codex.close();
  await tab.close();
  for (const name of await files()) await rm(join(codex.folder, name));
});

function open(...items: Scripted[]): void {
  api.script(...items);
  codex.open();
}

const files = () => readdir(codex.folder);
const touch = (file: string) =>
  call('exec_command', {
    cmd: `touch ${file}`,
    sandbox_permissions: 'require_escalated',
    justification: 'Make a file?',
  });
const patchFile = (file: string) =>
  call('exec_command', {
    cmd: `apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: ${file}\n+hello\n*** End Patch\nEOF`,
  });

/** Prompts that were returned. */
const seen = new Set<string>();

/** Waits for the next prompt in the tab. */
async function prompt() {
  const isNew = (each: ServerFrame): each is ServerFrameOf<'interaction_opened'> =>
    each.type === 'interaction_opened' && !seen.has(each.interaction.interactionId);
  const frame = (await tab.until(isNew)) as ServerFrameOf<'interaction_opened'>;
  seen.add(frame.interaction.interactionId);
  await tab.follow(frame.sessionId, { tail: 100 });
  const { sessionId, interaction } = frame;
  return { interaction, answer: (answer: object) => tab.answer(sessionId, interaction, answer), sessionId };
}

test('[ACP5, ASK9] a command is asked in the terminal and the tab; the tab allows it, and the terminal’s dialog closes', async () => {
  open(touch('allowed.txt'));
  const { interaction, answer } = await prompt();
  expect(interaction).toMatchObject({
    title: 'Run touch allowed.txt',
    toolName: 'codex_approval',
    subject: { kind: 'command', text: expect.stringContaining(`\n# in ${codex.folder}`) },
    prompt: expect.stringContaining('“Make a file?”'),
    rules: [{ label: expect.stringContaining('begins with `touch allowed.txt`') }],
  });
  await codex.shows(/Would you like to run/);
  expect(await files()).toEqual([]);
  await answer({ action: 'approve' });
  await codex.shows(/Done\./);
  expect(await files()).toEqual(['allowed.txt']);
});

test('[ACP5, ASK9] the terminal answers first: the card closes and says so, and the tab’s answer is too late', async () => {
  open(touch('terminal.txt'));
  const { interaction, answer, sessionId } = await prompt();
  await codex.shows(/Would you like to run/);
  await codex.type('y', /Done\./);
  const { payload } = await tab.event(sessionId, 'interaction_closed');
  expect(payload).toMatchObject({
    interactionId: interaction.interactionId,
    reason: 'withdrawn',
    note: 'Answered in the terminal',
  });
  expect(await answer({ action: 'deny' })).toMatchObject({ error: { code: 'closed' } });
  expect(await files()).toEqual(['terminal.txt']);
});

test('[ACP5, ASK9] a patch is shown as a diff; a tab declines one, and the turn goes on to the next, which it allows', async () => {
  open(patchFile('declined.txt'), patchFile('patched.txt'));
  const first = await prompt();
  expect(first.interaction).toMatchObject({
    title: expect.stringMatching(/^Write .*declined\.txt/),
    subject: { kind: 'diff', text: expect.stringContaining('+hello') },
  });
  await first.answer({ action: 'deny' });
  const { seq } = await tab.event(first.sessionId, 'interaction_response');
  const second = await tab.prompt(first.sessionId, seq);
  expect(second.title).toContain('patched.txt');
  await tab.answer(first.sessionId, second, { action: 'approve' });
  await codex.shows(/Done\./);
  expect(await files()).toEqual(['patched.txt']);
  expect(await readFile(join(codex.folder, 'patched.txt'), 'utf8')).toBe('hello\n');
});

test('[ACP5, APR7, ASK9] an amendment that a tab chose is kept by Codex, which asks no more', async () => {
  open(touch('ruled.txt'), touch('ruled.txt'));
  const { interaction, answer } = await prompt();
  const [rule] = interaction.rules ?? [];
  await answer({ action: 'approve', approvalScope: 'always', ruleId: rule?.id });
  await codex.shows(/Done\./);
  expect(await files()).toEqual(['ruled.txt']);
  const rules = join(codex.settings, '../rules/default.rules');
  expect(await readFile(rules, 'utf8')).toContain('["touch", "ruled.txt"]');
});

test('[ACP5, ASK9] input to a command that runs already is asked about, too', async () => {
  const cat = {
    cmd: 'cat',
    tty: true,
    yield_time_ms: 300,
    sandbox_permissions: 'require_escalated',
    justification: 'Cat?',
  };
  const write = (outputs: string) => {
    const session_id = Number(/session ID (\d+)/.exec(outputs)?.[1]);
    return call('write_stdin', { session_id, chars: 'hello\n', yield_time_ms: 300 });
  };
  open(call('exec_command', cat), write);
  const { answer, sessionId } = await prompt();
  await answer({ action: 'approve' });
  const { seq } = await tab.event(sessionId, 'interaction_response');
  const input = await tab.prompt(sessionId, seq);
  expect(input).toMatchObject({
    title: 'Send input to a running terminal',
    subject: { text: expect.stringContaining('hello') },
  });
  await tab.answer(sessionId, input, { action: 'deny' });
  await codex.shows(/Done\./);
  expect(api.outputs).not.toContain('hello');
});

test('[ACP5, APR7, ASK9] a call of an MCP tool is an approval that may last for the session, and what its server asks is a form', async () => {
  open(call('wipe', { path: '/a' }, 'mcp__docs'), call('wipe', { path: '/b' }, 'mcp__docs'));
  const { interaction, answer, sessionId } = await prompt();
  expect(interaction.subject?.text).toContain('"path": "/a"');
  const rule = interaction.rules?.find(({ scopes }) => scopes.includes('session'));
  expect(rule?.label).toBe('every call of the tool `wipe` of the MCP server `docs`');
  await answer({ action: 'approve', approvalScope: 'session', ruleId: rule?.id });
  let after = (await tab.event(sessionId, 'interaction_response')).seq;
  for (const name of ['Ada', 'Grace']) {
    const form = await tab.prompt(sessionId, after);
    expect(form).toMatchObject({ title: 'The MCP server docs asks', prompt: 'Who?' });
    await tab.answer(sessionId, form, { action: 'submit', input: { name } });
    after = (await tab.event(sessionId, 'interaction_response', undefined, after)).seq;
  }
  await codex.shows(/Done\./);
  expect(api.outputs).toMatch(/Ada.*Grace/);
});

test('[ACP5, ASK9] a card’s cancel ends the turn in the terminal', async () => {
  open(touch('cancelled.txt'));
  const { answer } = await prompt();
  await codex.shows(/Would you like to run/);
  await answer({ action: 'cancel' });
  await codex.shows(/interrupted/i);
  expect(await files()).toEqual([]);
});

test('[ACP5, ASK9] a turn that is interrupted in the terminal takes its card back', async () => {
  open(touch('stopped.txt'));
  const { answer, sessionId } = await prompt();
  await codex.shows(/Would you like to run/);
  const { payload } = await codex.typeUntil('\x1b', tab.event(sessionId, 'interaction_closed'));
  expect(payload).toMatchObject({ reason: 'withdrawn' });
  expect(await answer({ action: 'approve' })).toMatchObject({ error: { code: 'closed' } });
  expect(await files()).toEqual([]);
});

test('[ACP5, ASK9] the server is killed while Codex asks: it asks again after its restart, and the answer counts', async () => {
  const { port } = server.ready;
  open(touch('restarted.txt'));
  const { interaction, sessionId } = await prompt();
  await server.kill();
  await server.restart({ args: ['--port', String(port)] });
  tab = await server.open({ hello: { token: server.ready.token } });
  await tab.follow(sessionId, { tail: 100 });
  const isFirst = ({ interactionId }: { interactionId: string }) => interactionId === interaction.interactionId;
  const closed = await tab.event(sessionId, 'interaction_closed', ({ payload }) => isFirst(payload));
  expect(await files()).toEqual([]);
  await tab.answer(sessionId, await tab.prompt(sessionId, closed.seq), { action: 'approve' });
  await codex.shows(/Done\./);
  expect(await files()).toEqual(['restarted.txt']);
});

test('[ACP5, ASK9] Codex is killed while it asks: the card closes, nothing runs, and the next app server is followed', async () => {
  open(touch('killed.txt'));
  const { sessionId } = await prompt();
  await killAppServer();
  const { payload } = await tab.event(sessionId, 'interaction_closed');
  expect(payload).toMatchObject({ reason: 'withdrawn' });
  await codex.close();
  appServer = startAppServer();
  await expect.poll(() => attachment.stderr.match(/Attached to Codex/g)?.length).toBe(2);
  open(touch('next.txt'));
  await (await prompt()).answer({ action: 'approve' });
  await codex.shows(/Done\./);
  expect(await files()).toEqual(['next.txt']);
});

test('[ACP5, ASK7, ASK9] with the hook as well, one request is one card: the hook’s, and if it decides nothing, this one', async () => {
  await killAppServer();
  const words = ['connect', 'codex', '--yes', '--trust', '--settings', codex.settings, '--data-dir', server.dataDir];
  const hook = new ParleyProcess([...words, '--url', server.httpUrl], { env: codex.environment });
  expect(await hook.end()).toMatchObject({ code: 0 });
  appServer = startAppServer();
  await expect.poll(() => attachment.stderr.match(/Attached to Codex/g)?.length).toBe(3);
  open(touch('hooked.txt'));
  const first = await prompt();
  expect(first.interaction.toolName).toBe('permission');
  await first.answer({ action: 'cancel' });
  const second = await prompt();
  expect(second.interaction.toolName).toBe('codex_approval');
  await second.answer({ action: 'approve' });
  await codex.shows(/Done\./);
  expect(await files()).toEqual(['hooked.txt']);
});
