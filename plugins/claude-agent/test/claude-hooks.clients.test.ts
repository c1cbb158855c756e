import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatEvent } from '@parleyhq/core';
import { FakeMessagesApi, type FakeReply, say } from '@parleyhq/server/testing';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { runParley } from '../../../packages/server/test/support/command.ts';
import type { Tab } from '../../../packages/server/test/support/tab.ts';
import { startServer } from '../../../packages/server/test/support/use-server.ts';
import { call, sdk } from './claude-server.ts';

const program = join(sdk, `node_modules/@anthropic-ai/claude-agent-sdk-${process.platform}-${process.arch}`, 'claude');

let api: FakeMessagesApi;
beforeAll(async () => {
  api = await FakeMessagesApi.start({ isLenient: true });
});
afterAll(() => api.close());

let home: string;
let server: Awaited<ReturnType<typeof startServer>>;
let tab: Tab;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'parley-test-'));
  onTestFinished(() => rm(home, { recursive: true, force: true, maxRetries: 20 }));
  server = await startServer({ args: [] });
  tab = await server.open({ hello: { token: server.ready.token } });
  const settings = ['--settings', join(home, '.claude/settings.json'), '--data-dir', server.dataDir];
  const connected = await runParley('connect', 'claude', '--url', server.httpUrl, '--yes', ...settings);
  expect(connected).toMatchObject({ code: 0 });
});

const key = 'sk-ant-a-key-that-only-the-fake-model-takes';

function environment() {
  return {
    PATH: process.env.PATH,
    SHELL: '/bin/bash',
    TERM: 'xterm-256color',
    HOME: home,
    TMPDIR: home,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: api.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
  };
}

function script(...replies: readonly FakeReply[]): void {
  api.script(...replies);
  api.otherwise(() => ({ content: [say('Done.')] }));
}

/** Claude Code without a terminal, with these replies of the model; what it prints. */
function run(...replies: readonly FakeReply[]): Promise<string> {
  script(...replies);
  return new Promise((resolve) => {
    const child = execFile(program, ['-p', 'Go on'], { cwd: home, env: environment() }, (_, stdout, stderr) =>
      resolve(stdout + stderr),
    );
    child.stdin?.end();
  });
}

/** The same in a terminal, which `script` of util-linux makes. */
async function open(...replies: readonly FakeReply[]) {
  script(...replies);
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const approved = [key.slice(-20)];
  const known = { hasCompletedOnboarding: true, theme: 'dark', customApiKeyResponses: { approved, rejected: [] } };
  await writeFile(join(home, '.claude.json'), JSON.stringify({ ...known, projects: { [home]: trusted } }));
  const line = `stty cols 120 rows 40; exec '${program}' --permission-mode default 'Go on'`;
  const child = spawn('script', ['-qfec', line, '/dev/null'], { cwd: home, env: environment() });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  const shows = (words: RegExp) => expect.poll(() => output.replace(escapes, ' ')).toMatch(words);
  return { shows, type: (keys: string) => child.stdin.write(keys) };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals obey begins with one
const escapes = /\x1b\[[0-9;?]*[A-Za-z]/g;

/** The first prompt at a tab, with its session. */
async function prompt() {
  const frame = await tab.until(
    (frame) => frame.type === 'session_created' && frame.session.channel?.name.startsWith('claude:') === true,
  );
  const { session } = frame as Extract<typeof frame, { type: 'session_created' }>;
  await tab.follow(session.id, { tail: 100 });
  const { payload } = (await tab.event(session.id, 'interaction_request')) as ChatEvent<'interaction_request'>;
  return { session, prompt: payload };
}

const sent = () => JSON.stringify(api.requests.map(({ body }) => body.messages));
const files = async () => (await readdir(home)).filter((name) => name.endsWith('.txt'));

test('[ASK7] a command that was allowed in a tab runs', async () => {
  const running = run({ content: [call('Bash', { command: 'touch allowed.txt', description: 'Touch' })] });
  const { session, prompt: asked } = await prompt();
  expect(asked).toMatchObject({ subject: { kind: 'command', text: 'touch allowed.txt' } });
  expect(await files()).toEqual([]);
  const { payload } = await tab.event(session.id, 'tool_call');
  expect(payload.args).toMatchObject({ tool_use_id: expect.stringMatching(/^toolu_/) });
  await tab.answer(session.id, asked, { action: 'approve' });
  expect(await running).toContain('Done.');
  expect(await files()).toEqual(['allowed.txt']);
});

test('[ASK7] a command that was denied in a tab does not run, and the model reads why', async () => {
  const running = run({ content: [call('Bash', { command: 'touch denied.txt', description: 'Touch' })] });
  const { session, prompt: asked } = await prompt();
  await tab.answer(session.id, asked, { action: 'deny', reason: 'Use the other disk.' });
  expect(await running).toContain('Done.');
  expect(await files()).toEqual([]);
  expect(sent()).toContain('Use the other disk.');
});

test('[ASK7] while the server is down nothing is allowed', async () => {
  await server.kill();
  expect(await run({ content: [call('Bash', { command: 'touch down.txt', description: 'Touch' })] })).toContain(
    'Done.',
  );
  expect(await files()).toEqual([]);
});

test('[ASK7] a question in the terminal is answered in a tab', async () => {
  const options = [
    { label: 'Red', description: 'Warm' },
    { label: 'Blue', description: 'Cold' },
  ];
  const questions = [{ question: 'Which colour?', header: 'Colour', options, multiSelect: false }];
  const terminal = await open({ content: [call('AskUserQuestion', { questions })] });
  const { session, prompt: asked } = await prompt();
  await terminal.shows(/Which colour\?/);
  await tab.answer(session.id, asked, { action: 'submit', input: { answer1: 'Blue' } });
  await terminal.shows(/Done\./);
  expect(sent()).toMatch(/Which colour\?[^}]*Blue/);
});

test.each([
  ['allowed', '\r', ['both.txt']],
  ['denied', '\x1b', []],
])('[ASK7] what is %s in the terminal is withdrawn', async (_, keys, made) => {
  const terminal = await open({ content: [call('Bash', { command: 'touch both.txt', description: 'Touch' })] });
  const { session, prompt: asked } = await prompt();
  await terminal.shows(/Do you want/);
  terminal.type(keys);
  const { payload } = await tab.event(session.id, 'interaction_closed');
  expect(payload).toMatchObject({ interactionId: asked.interactionId, note: 'Answered in the terminal' });
  expect(await tab.answer(session.id, asked, { action: 'approve' })).toMatchObject({ error: { code: 'closed' } });
  expect(await files()).toEqual(made);
});

test('[ASK7] a server that is killed while both ask leaves the question to the terminal', async () => {
  const terminal = await open({ content: [call('Bash', { command: 'touch left.txt', description: 'Touch' })] });
  await prompt();
  await terminal.shows(/Do you want/);
  await server.kill();
  expect(await files()).toEqual([]);
  terminal.type('\r');
  await terminal.shows(/Done\./);
  expect(await files()).toEqual(['left.txt']);
});
