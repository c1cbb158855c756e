import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerFrameOf } from '@parleyhq/core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ParleyProcess } from '../../../server/test/support/command.ts';
import type { Tab } from '../../../server/test/support/tab.ts';
import { useServer } from '../../../server/test/support/use-server.ts';
import { CodexTerminal } from './codex-terminal.ts';
import { call, FakeResponsesApi, type Item } from './fake-responses-api.ts';

const server = useServer({ args: [] });
let api: FakeResponsesApi;
let codex: CodexTerminal;
let before: string;
let tab: Tab;

/** Runs `parley connect` or `disconnect` for this Codex and server. */
async function parley(...words: string[]) {
  const flags = ['--yes', '--settings', codex.settings, '--data-dir', server.dataDir];
  return new ParleyProcess([...words, ...flags], { env: codex.environment }).end();
}

beforeAll(async () => {
  api = await FakeResponsesApi.start();
  codex = await CodexTerminal.make(api.url);
  before = await readFile(codex.settings, 'utf8');
  const connected = await parley('connect', 'codex', '--trust', '--url', server.httpUrl);
  expect(connected).toMatchObject({ code: 0, stdout: expect.stringContaining('Codex trusts the hook.') });
});
afterAll(async () => {
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

function open(...items: Item[]): void {
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

/** Waits for the next prompt in the tab. */
async function prompt() {
  const frame = (await tab.waitFor('interaction_opened')) as ServerFrameOf<'interaction_opened'>;
  await tab.follow(frame.sessionId, { tail: 100 });
  const { sessionId, interaction } = frame;
  return { interaction, answer: (answer: object) => tab.answer(sessionId, interaction, answer), sessionId };
}

test('[ASK7, ASK9] a command of Codex that was allowed in a tab runs', async () => {
  open(touch('allowed.txt'));
  const { interaction, answer } = await prompt();
  expect(interaction).toMatchObject({
    title: 'Run touch allowed.txt',
    subject: { kind: 'command', text: 'touch allowed.txt' },
  });
  await codex.shows(/Waiting for an answer in Parley/);
  expect(await files()).toEqual([]);
  await answer({ action: 'approve' });
  await codex.shows(/Done\./);
  expect(await files()).toEqual(['allowed.txt']);
});

test('[ASK7, ASK9] a command of Codex that was denied in a tab does not run, and the model reads why', async () => {
  open(touch('denied.txt'));
  await (await prompt()).answer({ action: 'deny', reason: 'Use the other disk.' });
  await codex.shows(/Done\./);
  expect(api.outputs).toContain('Use the other disk.');
  expect(await files()).toEqual([]);
});

test('[ASK7, ASK9] a patch of Codex is shown whole, and applied after it was allowed', async () => {
  const patch = '*** Begin Patch\n*** Add File: patched.txt\n+hello\n*** End Patch';
  open(call('exec_command', { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` }));
  const { interaction, answer } = await prompt();
  expect(interaction).toMatchObject({ title: 'Change patched.txt (+1 −0)', subject: { kind: 'diff', text: patch } });
  await answer({ action: 'approve' });
  await codex.shows(/Done\./);
  expect(await readFile(join(codex.folder, 'patched.txt'), 'utf8')).toBe('hello\n');
});

test('[ASK7, ASK9] a cancelled card decides nothing: Codex asks in its terminal', async () => {
  open(touch('cancelled.txt'));
  await (await prompt()).answer({ action: 'cancel' });
  await codex.shows(/Would you like to run/);
  expect(await files()).toEqual([]);
  await codex.type('y', /Done\./);
  expect(await files()).toEqual(['cancelled.txt']);
});

test('[ASK7, ASK9] a request that is interrupted in Codex’s terminal is withdrawn, and an answer is too late', async () => {
  open(touch('interrupted.txt'));
  const { interaction, answer, sessionId } = await prompt();
  await codex.shows(/Waiting for an answer in Parley/);
  await codex.type('\x1b', /interrupted/);
  const { payload } = await tab.event(sessionId, 'interaction_closed');
  expect(payload).toMatchObject({ interactionId: interaction.interactionId, reason: 'withdrawn' });
  expect(await answer({ action: 'approve' })).toMatchObject({ error: { code: 'closed' } });
  expect(await files()).toEqual([]);
});

test('[ASK6, ASK9] a question of Codex’s model is answered in a tab', async () => {
  const options = [{ label: 'Red' }, { label: 'Blue' }];
  open(call('ask_human', { question: 'Which colour?', options }, 'mcp__parley'));
  const { interaction, answer } = await prompt();
  expect(interaction).toMatchObject({ interactionType: 'input', toolName: 'ask_human' });
  await answer({ action: 'submit', input: { answer: 'Blue' } });
  await codex.shows(/Done\./);
  expect(api.outputs).toMatch(/Blue/);
});

test('[ASK7, ASK9] if the server is killed while Codex asks, the terminal asks; after a restart the server does again', async () => {
  const { port } = server.ready;
  open(touch('left.txt'), touch('again.txt'));
  const { interaction, sessionId } = await prompt();
  await server.kill();
  await codex.shows(/Would you like to run/);
  expect(await files()).toEqual([]);

  await server.restart({ args: ['--port', String(port)] });
  tab = await server.open({ hello: { token: server.ready.token } });
  await tab.follow(sessionId, { tail: 100 });
  const isFirst = ({ interactionId }: { interactionId: string }) => interactionId === interaction.interactionId;
  const closed = await tab.event(sessionId, 'interaction_closed', ({ payload }) => isFirst(payload));
  expect(closed.payload).toMatchObject({ note: 'No longer waiting' });
  await codex.type('y', /Waiting for an answer in Parley.*Waiting for an answer in Parley/);
  await tab.answer(sessionId, await tab.prompt(sessionId, closed.seq), { action: 'approve' });
  await codex.shows(/Done\./);
  expect((await files()).sort()).toEqual(['again.txt', 'left.txt']);
});

test('[ASK7, ASK9] while the server is down Codex asks in its terminal, and nothing is allowed', async () => {
  await server.kill();
  open(touch('down.txt'));
  await codex.shows(/Would you like to run/);
  expect(await files()).toEqual([]);
  await codex.type('\x1b', /interrupted/);
  expect(await files()).toEqual([]);
  await server.restart();
});

test('[ASK7] doctor finds that the hook was switched off in Codex', async () => {
  const trusted = await readFile(codex.settings, 'utf8');
  const examine = async () => {
    const flags = ['--data-dir', server.dataDir];
    const { stdout } = await new ParleyProcess(['doctor', ...flags], { env: codex.environment }).end();
    return stdout;
  };
  expect(await examine()).not.toMatch(/switched off|does not trust/);
  await writeFile(codex.settings, trusted.replace(/^trusted_hash/m, 'enabled = false\ntrusted_hash'));
  expect(await examine()).toContain('The hook is switched off in Codex');
  await writeFile(codex.settings, trusted);
});

test('[ASK7] disconnect restores Codex’s settings, except for what Codex itself wrote', async () => {
  expect(await parley('disconnect', 'codex')).toMatchObject({ code: 0 });
  const after = await readFile(codex.settings, 'utf8');
  expect(after).toContain(before.trim().split('\n\n[projects')[0]);
  expect(after).not.toMatch(/mcp_servers.parley|PermissionRequest|trusted_hash/);
});
