import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChatEvent } from '@parleyhq/core';
import { FakeMessagesApi, say } from '@parleyhq/server/testing';
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

/** Claude Code as it is installed by its users, with these replies of the model. */
function run(...replies: Parameters<FakeMessagesApi['script']>): Promise<string> {
  api.script(...replies);
  api.otherwise(() => ({ content: [say('Done.')] }));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: home,
    ANTHROPIC_API_KEY: 'sk-test',
    ANTHROPIC_BASE_URL: api.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
  };
  return new Promise((resolve) => {
    const child = execFile(program, ['-p', 'Go on'], { cwd: home, env }, (error, stdout, stderr) => {
      resolve(stdout + stderr + (error ? String(error.code) : ''));
    });
    child.stdin?.end();
  });
}

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
  const [{ args }] = tab.events(session.id).flatMap((event) => (event.type === 'tool_call' ? [event.payload] : []));
  expect(args).toMatchObject({ tool_use_id: expect.stringMatching(/^toolu_/) });
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
  expect(await run({ content: [call('Bash', { command: 'touch down.txt', description: 'Touch' })] })).toContain('Done.');
  expect(await files()).toEqual([]);
});
